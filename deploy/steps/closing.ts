import type { Deployment } from '../deployment.ts';
import { serviceName } from '../names.ts';
import { type Change, gcloud, type Step } from '../step.ts';
import { createConfigs, switchGateway } from './gateway.ts';
import { pauseSchedules, resumeSchedules } from './schedules.ts';

/**
 * Returns the steps that close the service to every caller and pause its schedules. `router` gets `CLOSED=true` before
 * the gateway is closed, so that no caller gets a 404. `seal-audit` gets it last, because it may sign a statement about
 * lost entries only when the gateway lets no caller in.
 */
export function closeService(deployment: Deployment): Step[] {
  return [
    ...pauseSchedules(deployment),
    setClosed(deployment, 'router', 'true'),
    ...createConfigs(deployment),
    switchGateway(deployment, 'true'),
    setClosed(deployment, 'seal-audit', 'true'),
  ];
}

/**
 * Returns the steps that open the service. If a step fails before the gateway opens, the next run still finds the
 * service closed.
 */
export function openService(deployment: Deployment): Step[] {
  return [
    setClosed(deployment, 'seal-audit', 'false'),
    ...resumeSchedules(deployment),
    switchGateway(deployment, 'false'),
    setClosed(deployment, 'router', 'false'),
  ];
}

/**
 * Returns the steps that correct `CLOSED` in `router` and `seal-audit`, if someone closed or opened the service while
 * these functions were deployed.
 */
export function correctClosed(deployment: Deployment): Change[] {
  const names = ['router', 'seal-audit'] as const;
  return names.map((name) => ({ ...setClosed(deployment, name, '$CLOSED'), onlyIf: '"$CLOSED" != "$CLOSED_BEFORE"' }));
}

function setClosed(
  { region }: Deployment,
  name: 'router' | 'seal-audit',
  closed: 'true' | 'false' | '$CLOSED',
): Change {
  return {
    what: `${name} with CLOSED=${closed}`,
    create: gcloud(
      ...['run', 'services', 'update', serviceName(name), `--region=${region}`, `--update-env-vars=CLOSED=${closed}`],
    ),
  };
}
