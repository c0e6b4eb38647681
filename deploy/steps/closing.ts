import type { Deployment } from '../deployment.ts';
import { serviceName } from '../names.ts';
import { type Change, gcloud, type Step } from '../step.ts';
import { createConfigs, switchGateway } from './gateway.ts';
import { pauseSchedules, resumeSchedules } from './schedules.ts';

/**
 * Returns the steps that close the service to every caller and pause its schedules. `router` learns first that the
 * service is closed, so that no caller gets a 404. `seal-audit` learns it last. It may sign a statement about lost
 * entries only when no caller can get in.
 */
export function closeService(deployment: Deployment): Step[] {
  return [
    ...pauseSchedules(deployment),
    tell(deployment, 'router', 'true'),
    ...createConfigs(deployment),
    switchGateway(deployment, 'true'),
    tell(deployment, 'seal-audit', 'true'),
  ];
}

/**
 * Returns the steps that open the service. If a step fails before the gateway opens, the next run still finds the
 * service closed.
 */
export function openService(deployment: Deployment): Step[] {
  return [
    tell(deployment, 'seal-audit', 'false'),
    ...resumeSchedules(deployment),
    switchGateway(deployment, 'false'),
    tell(deployment, 'router', 'false'),
  ];
}

/**
 * Returns the steps that correct `CLOSED` in both functions, if someone closed or opened the service while they were
 * deployed.
 */
export function tellFunctions(deployment: Deployment): Change[] {
  const names = ['router', 'seal-audit'] as const;
  return names.map((name) => ({ ...tell(deployment, name, '$CLOSED'), onlyIf: '"$CLOSED" != "$CLOSED_BEFORE"' }));
}

function tell({ region }: Deployment, name: 'router' | 'seal-audit', closed: 'true' | 'false' | '$CLOSED'): Change {
  return {
    what: `${name} with CLOSED=${closed}`,
    create: gcloud(
      ...['run', 'services', 'update', serviceName(name), `--region=${region}`, `--update-env-vars=CLOSED=${closed}`],
    ),
  };
}
