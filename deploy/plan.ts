import type { Deployment } from './deployment.ts';
import type { Step } from './step.ts';
import { createRoles, grantAccess, grantCalls } from './steps/access.ts';
import { createBalancer, deployConsole, replaceUptimeCheck } from './steps/balancer.ts';
import { createBudget } from './steps/budget.ts';
import { closeService, correctClosed, createSchedules, keepSchedulesPaused, openService } from './steps/closing.ts';
import { buildDecisionPoint, deployFunctions } from './steps/functions.ts';
import { createGateway, readClosed } from './steps/gateway.ts';
import { createKeys, createSecrets } from './steps/kms.ts';
import { createAlerts, createMetrics } from './steps/monitoring.ts';
import { createAccounts, enableApis, logDataAccess } from './steps/project.ts';
import { readPrevious, smokeTest } from './steps/smoke.ts';
import { checkStore, createStore } from './steps/store.ts';

/**
 * The kind of a run. `deploy` keeps the service open or closed, as it was. `close` only closes the service and deploys
 * nothing.
 */
export type Run = 'deploy' | 'deploy and open' | 'close';

/**
 * Returns the steps of a run. Each step comes after the steps on which it depends. `removals` are the steps that remove
 * the grants of earlier releases. They are the last steps, because the previous revisions still need these grants if the
 * smoke test fails.
 */
export function planDeployment(deployment: Deployment, run: Run = 'deploy', removals: readonly Step[] = []): Step[] {
  if (run === 'close') return closeService(deployment);
  return [
    ...enableApis(),
    readClosed(deployment, 'CLOSED_BEFORE'),
    ...readPrevious(deployment),
    ...logDataAccess(deployment),
    ...createAccounts(deployment),
    ...createRoles(deployment),
    ...createStore(deployment),
    ...createKeys(deployment),
    ...createSecrets(deployment),
    ...createBalancer(deployment),
    ...grantAccess(deployment),
    ...createMetrics(),
    ...buildDecisionPoint(deployment),
    ...deployFunctions(deployment),
    ...grantCalls(deployment),
    // Check again, because someone may have closed or opened the service during the deployment.
    readClosed(deployment, 'CLOSED'),
    ...correctClosed(deployment),
    ...createGateway(deployment),
    ...deployConsole(deployment),
    ...createSchedules(deployment),
    ...keepSchedulesPaused(deployment),
    ...createAlerts(deployment),
    ...replaceUptimeCheck(deployment),
    ...createBudget(deployment),
    ...checkStore(),
    ...(run === 'deploy and open' ? openService(deployment) : []),
    // A closed service refuses the requests of the test.
    ...smokeTest(deployment, run === 'deploy and open' ? undefined : '"$CLOSED" != true'),
    ...removals,
  ];
}
