import type { Deployment } from './deployment.ts';
import type { Step } from './step.ts';
import { createRoles, grantAccess, grantCalls } from './steps/access.ts';
import { buildDecisionPoint, deployFunctions } from './steps/functions.ts';
import { createGateway } from './steps/gateway.ts';
import { createKeys } from './steps/kms.ts';
import { createAlerts, createMetrics } from './steps/monitoring.ts';
import { createAccounts, enableApis } from './steps/project.ts';
import { createSchedules } from './steps/schedules.ts';
import { createSecrets } from './steps/secrets.ts';
import { createStore } from './steps/store.ts';

/** All that a deployment has, in the order in which one thing needs the other. */
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
    ...createSchedules(deployment),
    ...createAlerts(deployment),
  ];
}
