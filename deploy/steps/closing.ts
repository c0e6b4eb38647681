import type { Deployment } from '../deployment.ts';
import { serviceName } from '../names.ts';
import { type Change, gcloud, type Step } from '../step.ts';
import { createConfigs, switchGateway } from './gateway.ts';
import { pauseSchedules, resumeSchedules } from './schedules.ts';

/**
 * Closes the service to every caller, and pauses its schedules. `router` learns of it first, so that no caller is told that a
 * path does not exist; `seal-audit` last, as it may sign what it signs of a closed service only once nobody gets in.
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

/** Opens the service again. Until the gateway is open, a deployment that is run again finds it closed. */
export function openService(deployment: Deployment): Step[] {
  return [
    tell(deployment, 'seal-audit', 'false'),
    ...resumeSchedules(deployment),
    switchGateway(deployment, 'false'),
    tell(deployment, 'router', 'false'),
  ];
}

/** Tells the functions again where the service was closed or opened while they were deployed. */
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
