import { z } from 'zod';
import { FUNCTIONS } from '../../functions.ts';
import { accountEmail, functionAddress } from '../../names.ts';
import { SCHEDULES } from '../../schedules.ts';
import { gcloud } from '../../step.ts';
import { type Comparison, type Context, lastPart, resource } from '../resource.ts';

const jobs = z.array(
  z.object({
    name: z.string(),
    schedule: z.string(),
    timeZone: z.string(),
    state: z.string(),
    attemptDeadline: z.string().optional(),
    httpTarget: z
      .object({
        uri: z.string(),
        httpMethod: z.string(),
        oidcToken: z.object({ serviceAccountEmail: z.string(), audience: z.string().optional() }).optional(),
      })
      .optional(),
  }),
);

export function compareSchedules({ deployment, ask, closed, isEnabled }: Context): Comparison {
  const found = isEnabled('cloudscheduler')
    ? ask(gcloud('scheduler', 'jobs', 'list', `--location=${deployment.region}`), jobs)
    : [];
  return {
    expected: Object.entries(SCHEDULES).map(([name, { calls, cron }]) => {
      const address = functionAddress(deployment, calls);
      return resource(`schedule ${name}`, {
        schedule: cron,
        timeZone: 'Etc/UTC',
        state: closed ? 'PAUSED' : 'ENABLED',
        attemptDeadline: `${FUNCTIONS[calls].timeoutSeconds}s`,
        uri: `${address}/`,
        method: 'POST',
        account: accountEmail(deployment, 'scheduler'),
        audience: address,
      });
    }),
    found: found
      .filter(({ name }) => lastPart(name).startsWith('encryption-'))
      .map(({ name, schedule, timeZone, state, attemptDeadline, httpTarget }) =>
        resource(`schedule ${lastPart(name).slice('encryption-'.length)}`, {
          ...{ schedule, timeZone, state, attemptDeadline },
          uri: httpTarget?.uri,
          method: httpTarget?.httpMethod,
          account: httpTarget?.oidcToken?.serviceAccountEmail,
          audience: httpTarget?.oidcToken?.audience,
        }),
      ),
  };
}
