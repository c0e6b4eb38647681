import { makeInstant, SECOND_US } from '../base/clock.ts';
import { mapConcurrently, type RunLimits } from '../base/map-concurrently.ts';
import { CLOSE_BEGINS_MS } from '../run-time.ts';
import type { Services } from '../services.ts';
import { TENANTS_BY_ATTEMPT, TENANTS_BY_CLOSE, type Tenant } from '../tenancy/tenant.ts';
import { closeTenant, type Outcome, skipUnbilled } from './close-tenant.ts';

/**
 * An invoice needs up to ten Stripe calls and three seconds, so 16 invoices at a time make 50 calls a second. Stripe
 * allows 100 calls a second in total, and 25 per endpoint, of which the endpoint for invoice items needs 15.
 */
const LIMITS: RunLimits = { concurrency: 16, forMs: CLOSE_BEGINS_MS };

/** The number of tenants without costs that one commit closes. Each needs two of the 500 writes of a commit. */
const SKIPPED_PER_COMMIT = 200;
/** The number of tenants per page. It is large because no request waits in this process while a page is decoded. */
const TENANTS_PER_PAGE = 1_000;

/** The number of closed months, and the number of tenants for which closing a month failed. */
export interface CloseSummary {
  readonly closed: number;
  readonly failed: number;
}

/** Closes all past months, each tenant's oldest first. Idempotent, also when two runs overlap. */
export async function closeMonths(
  services: Pick<Services, 'store' | 'clock' | 'log' | 'biller'>,
): Promise<CloseSummary> {
  const giveUpAt = performance.now() + LIMITS.forMs;
  const outcomes = await mapConcurrently(findWork(services, giveUpAt), LIMITS, (work) => work());
  const count = (what: keyof Outcome) => outcomes.reduce((sum, outcome) => sum + outcome[what], 0);
  const summary = { closed: count('closed'), failed: count('failed') };
  const fields = { ...summary, oldest_due_s: await readOldestDue(services) };
  services.log.write(summary.failed > 0 ? 'close-month finished with failures' : 'close-month finished', fields);
  return summary;
}

async function* findWork(
  services: Pick<Services, 'store' | 'clock' | 'log' | 'biller'>,
  giveUpAt: number,
): AsyncGenerator<() => Promise<Outcome>> {
  const until = makeInstant(services.clock.now() + 1);
  for await (const due of services.store.pages(TENANTS_BY_ATTEMPT, { equal: [], until }, TENANTS_PER_PAGE)) {
    const unbilled: Tenant[] = [];
    for (const tenant of due) {
      if (!services.biller.mayOwe(tenant) && tenant.close_failures === 0) unbilled.push(tenant);
      else yield () => closeTenant(services, tenant, giveUpAt);
    }
    for (let start = 0; start < unbilled.length; start += SKIPPED_PER_COMMIT) {
      const some = unbilled.slice(start, start + SKIPPED_PER_COMMIT);
      yield () => skipUnbilled(services, some, giveUpAt);
    }
  }
}

/** Returns how many seconds ago the oldest open month became due, or 0. */
async function readOldestDue(services: Pick<Services, 'store' | 'clock' | 'log' | 'biller'>): Promise<number> {
  const now = services.clock.now();
  const [oldest] = await services.store.select(TENANTS_BY_CLOSE, { equal: [], until: makeInstant(now + 1), limit: 1 });
  return oldest === undefined ? 0 : Math.floor((now - oldest.next_close_at) / SECOND_US);
}
