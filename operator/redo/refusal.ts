import { z } from 'zod';
import { EVENTS, ROW_SHARDS } from '../../shared/audit/event.ts';
import { DAY_US, type Instant, MINUTE_US, makeInstant } from '../../shared/base/clock.ts';
import { CLOSED } from '../../shared/http/routing.ts';
import type { RedoLine } from '../../shared/tenancy/redo-log.ts';
import type { RedoServices } from './change.ts';
import { latestChanges } from './latest-changes.ts';

/** Cloud Logging deletes older lines, so that changes since an older backup are unknown. */
const LOG_US = 30 * DAY_US;
const ANSWER_MS = 10_000;

const refused = z.object({ message: z.string() });

/** Returns why the time cannot be the backup's time, or `undefined`. */
export function refuseTime(since: Instant, now: Instant): string | undefined {
  if (since > now) return 'the time is in the future';
  return since < now - LOG_US ? 'the time is more than 30 days ago, and the log has no older lines' : undefined;
}

/** Returns why the store cannot be the backup of this time, or `undefined`. */
export async function refuseStore(
  services: RedoServices,
  lines: readonly RedoLine[],
  since: Instant,
): Promise<string | undefined> {
  for (const tenantId of new Set(lines.map(({ tenant_id }) => tenant_id))) {
    // The clock of a process can differ a little from Firestore's clock.
    const later = { equal: [tenantId], anyOf: ROW_SHARDS, since: makeInstant(since + MINUTE_US) };
    for await (const page of services.store.pages(EVENTS, later)) {
      if (page.some(({ api_key_id, user_id }) => api_key_id !== null || user_id !== null))
        return `the store has newer events of tenant ${tenantId}: it is not the backup, or callers were let in`;
    }
  }
  const before = lines.filter(({ message, commit_time }) => message === 'API key revoked' && commit_time <= since);
  for (const { about, plan } of latestChanges(before)) {
    if (typeof (await plan(services)) === 'function') return `the backup is older: it lacks the ${about}`;
  }
  return undefined;
}

/** Returns why callers may be using the service at this address, or `undefined` if it answers that it is closed. */
export async function refuseOpen(service: string): Promise<string | undefined> {
  try {
    const url = new URL('health/ready', `${service.replace(/\/$/, '')}/`);
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' });
    const { data } = refused.safeParse(await answer.json());
    if (answer.status === 503 && data?.message === CLOSED) return undefined;
  } catch (error) {
    return `no answer from ${service}: ${error instanceof Error ? error.message : String(error)}`;
  }
  return `${service} is open: close the service with npm run deploy -- --closed`;
}
