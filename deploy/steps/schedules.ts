import type { Deployment } from '../deployment.ts';
import { FUNCTIONS } from '../functions.ts';
import { accountEmail, functionAddress } from '../names.ts';
import { SCHEDULES } from '../schedules.ts';
import { gcloud, named, type Step, type Update } from '../step.ts';

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

export function pauseSchedules(deployment: Deployment): Update[] {
  return turnSchedules(deployment, 'pause', 'ENABLED');
}

export function resumeSchedules(deployment: Deployment): Update[] {
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
