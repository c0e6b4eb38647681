import type { Deployment } from './deployment.ts';
import type { Step } from './step.ts';
import { createRoles, grantAccess, grantCalls } from './steps/access.ts';
import { buildDecisionPoint, deployFunctions } from './steps/functions.ts';
import { createGateway } from './steps/gateway.ts';
import { deployConsole } from './steps/hosting.ts';
import { createKeys } from './steps/kms.ts';
import { createAlerts, createMetrics } from './steps/monitoring.ts';
import { createAccounts, enableApis } from './steps/project.ts';
import { createSchedules } from './steps/schedules.ts';
import { createSecrets } from './steps/secrets.ts';
import { createStore } from './steps/store.ts';

/** The steps of a deployment, each after those that it depends on. */
export function planDeployment(deployment: Deployment): Step[] {
  return [
    ...enableApis(),
    ...createAccounts(deployment),
    ...createRoles(deployment),
    ...createStore(deployment),
    ...createKeys(deployment),
    ...createSecrets(deployment),
    ...grantAccess(deployment),
    ...createMetrics(),
    ...buildDecisionPoint(deployment),
    ...deployFunctions(deployment),
    ...grantCalls(deployment),
    ...createGateway(deployment),
    ...deployConsole(deployment),
    ...createSchedules(deployment),
    ...createAlerts(deployment),
  ];
}
