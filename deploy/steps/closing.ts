import type { Deployment } from '../deployment.ts';
import { FUNCTIONS } from '../functions.ts';
import { accountEmail, functionAddress, serviceName } from '../names.ts';
import { SCHEDULES } from '../schedules.ts';
import { type Change, gcloud, named, type Step, type Update } from '../step.ts';
import { useLatest } from './functions.ts';
import { createConfigs, switchGateway } from './gateway.ts';

export function createSchedules(deployment: Deployment): Step[] {
  const at = `--location=${deployment.region}`;
  return Object.entries(SCHEDULES).map(([name, { calls, cron }]) => {
    const address = functionAddress(deployment, calls);
    const settings = [
      `encryption-${name}`,
      at,
      `--schedule=${cron}`,
      '--time-zone=Etc/UTC',
      `--uri=${address}/`,
      '--http-method=POST',
      `--oidc-service-account-email=${accountEmail(deployment, 'scheduler')}`,
      `--oidc-token-audience=${address}`,
      `--attempt-deadline=${FUNCTIONS[calls].timeoutSeconds}s`,
    ];
    return {
      what: `schedule ${name}`,
      find: gcloud('scheduler', 'jobs', 'list', at, named(`encryption-${name}`), '--format=value(name)'),
      create: gcloud('scheduler', 'jobs', 'create', 'http', ...settings),
      update: gcloud('scheduler', 'jobs', 'update', 'http', ...settings),
    };
  });
}

/**
 * Returns the steps that pause the schedules if the service is closed. They are needed because a new schedule starts
 * enabled.
 */
export function keepSchedulesPaused(deployment: Deployment): Update[] {
  return pauseSchedules(deployment).map((step) => ({ ...step, onlyIf: '"$CLOSED" = true' }));
}

function pauseSchedules(deployment: Deployment): Update[] {
  return turnSchedules(deployment, 'pause', 'ENABLED');
}

function resumeSchedules(deployment: Deployment): Update[] {
  return turnSchedules(deployment, 'resume', 'PAUSED');
}

/**
 * Returns the steps that pause or resume the schedules. `find` filters by state, because Google refuses to pause a
 * paused schedule or to resume an enabled one.
 */
function turnSchedules({ region }: Deployment, verb: 'pause' | 'resume', state: 'PAUSED' | 'ENABLED'): Update[] {
  const at = `--location=${region}`;
  return Object.keys(SCHEDULES).map((name) => ({
    what: `${verb} schedule ${name}`,
    find: gcloud(
      ...['scheduler', 'jobs', 'list', at, `${named(`encryption-${name}`)} AND state=${state}`],
      '--format=value(name)',
    ),
    update: gcloud('scheduler', 'jobs', verb, `encryption-${name}`, at),
  }));
}

/**
 * Returns the steps that close the service to every caller and pause its schedules. `router` gets `CLOSED=true` before
 * the gateway is closed, so that no caller gets a 404. `seal-audit` gets it last, because it may sign a statement about
 * lost entries only when the gateway lets no caller in.
 */
export function closeService(deployment: Deployment): Step[] {
  return [
    ...pauseSchedules(deployment),
    ...setClosed(deployment, 'router', 'true'),
    ...createConfigs(deployment),
    switchGateway(deployment, 'true'),
    ...setClosed(deployment, 'seal-audit', 'true'),
  ];
}

/**
 * Returns the steps that open the service. If a step fails before the gateway opens, the next run still finds the
 * service closed.
 */
export function openService(deployment: Deployment): Step[] {
  return [
    ...setClosed(deployment, 'seal-audit', 'false'),
    ...resumeSchedules(deployment),
    switchGateway(deployment, 'false'),
    ...setClosed(deployment, 'router', 'false'),
  ];
}

/**
 * Returns the steps that correct `CLOSED` in `router` and `seal-audit`, if someone closed or opened the service while
 * these functions were deployed.
 */
export function correctClosed(deployment: Deployment): Change[] {
  const names = ['router', 'seal-audit'] as const;
  return names
    .flatMap((name) => setClosed(deployment, name, '$CLOSED'))
    .map((step) => ({ ...step, onlyIf: '"$CLOSED" != "$CLOSED_BEFORE"' }));
}

/** Sets `CLOSED`. A failed smoke test or a rollback may have pinned the traffic to a revision with the old value. */
function setClosed(
  deployment: Deployment,
  name: 'router' | 'seal-audit',
  closed: 'true' | 'false' | '$CLOSED',
): Change[] {
  const at = `--region=${deployment.region}`;
  return [
    {
      what: `${name} with CLOSED=${closed}`,
      create: gcloud('run', 'services', 'update', serviceName(name), at, `--update-env-vars=CLOSED=${closed}`),
    },
    useLatest(deployment, name),
  ];
}
