import type { Deployment } from '../deployment.ts';
import { FUNCTIONS } from '../functions.ts';
import { accountEmail, functionAddress } from '../names.ts';
import { SCHEDULES } from '../schedules.ts';
import { gcloud, type Step } from '../step.ts';

/** The schedules, which call functions with ID tokens of the scheduler's service account. */
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
      find: gcloud('scheduler', 'jobs', 'describe', `encryption-${name}`, at, '--format=value(name)'),
      create: gcloud('scheduler', 'jobs', 'create', 'http', ...settings),
      update: gcloud('scheduler', 'jobs', 'update', 'http', ...settings),
    };
  });
}
