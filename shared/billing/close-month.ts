import { makeInstant, SECOND_US } from '../base/clock.ts';
import { type Bounds, inLanes } from '../base/lanes.ts';
import type { Env } from '../env.ts';
import { TENANTS_BY_ATTEMPT, TENANTS_BY_CLOSE, type Tenant } from '../tenancy/tenant.ts';
import { closeTenant, type Outcome, owesNothing, passOver } from './close-tenant.ts';
import { CLOSE_BEGINS_MS } from './run-time.ts';

/**
 * A month with an invoice takes seven to ten calls of Stripe, three seconds in all. So 16 lanes close five tenants a second,
 * 10,000 in 35 minutes, with 50 calls a second: Stripe allows 100, and 25 of one kind, of which items are 15 at the most.
 */
const BOUNDS: Bounds = { sideBySide: 16, forMs: CLOSE_BEGINS_MS };

/** Tenants that are passed over in one commit, with two writes each. */
const PASSED_TOGETHER = 200;

/** What a run did. */
export interface CloseSummary {
  /** Months of tenants. */
  readonly closed: number;
  /** Tenants that stay for a later run. */
  readonly failed: number;
}

/**
 * Closes every month before the current one that is not closed yet, each tenant's oldest first. A tenant that fails does
 * not stop the others, and waits longer each time until it is tried again. Safe to run twice at once, and to begin again
 * wherever it stopped.
 */
export async function closeMonths(env: Env): Promise<CloseSummary> {
  const giveUpAt = performance.now() + BOUNDS.forMs;
  const outcomes = await inLanes(findWork(env, giveUpAt), BOUNDS, (work) => work());
  const count = (what: keyof Outcome) => outcomes.reduce((sum, outcome) => sum + outcome[what], 0);
  const summary = { closed: count('closed'), failed: count('failed') };
  const fields = { ...summary, oldest_due_s: await readOldestDue(env) };
  env.log.write(summary.failed > 0 ? 'ERROR' : 'INFO', 'close-month', fields);
  return summary;
}

/** What is to be done for the tenants that are due now, the longest due first; no tenant is in it twice. */
async function* findWork(env: Env, giveUpAt: number): AsyncGenerator<() => Promise<Outcome>> {
  const until = makeInstant(env.clock.now() + 1);
  for await (const due of env.store.pages(TENANTS_BY_ATTEMPT, { equal: [], until })) {
    const passed: Tenant[] = [];
    for (const tenant of due) {
      if (owesNothing(env, tenant) && tenant.close_failures === 0) passed.push(tenant);
      else yield () => closeTenant(env, tenant, giveUpAt);
    }
    for (let start = 0; start < passed.length; start += PASSED_TOGETHER) {
      const some = passed.slice(start, start + PASSED_TOGETHER);
      yield () => passOver(env, some, giveUpAt);
    }
  }
}

/** For how long the oldest month that is not closed has been due, in whole seconds; 0 when there is none. */
async function readOldestDue(env: Env): Promise<number> {
  const now = env.clock.now();
  const [oldest] = await env.store.select(TENANTS_BY_CLOSE, { equal: [], until: makeInstant(now + 1), limit: 1 });
  return oldest === undefined ? 0 : Math.floor((now - oldest.next_close_at) / SECOND_US);
}
