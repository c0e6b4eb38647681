import { type Clock, makeInstant, SECOND_US } from '../base/clock.ts';
import { FairQueue, type Turns } from '../base/fair-queue.ts';
import type { Log } from '../base/log.ts';
import { perMinute, Rate, type Tokens } from '../base/rate.ts';
import { CLOSE_BEGINS_MS } from '../run-time.ts';
import type { Store } from '../store/store.ts';
import { TENANTS_BY_ATTEMPT, TENANTS_BY_CLOSE, TENANTS_BY_STRIPE_CHECK, type Tenant } from '../tenancy/tenant.ts';
import type { Biller } from './biller.ts';
import { type CloseOutcome, closeTenant, type Run, skipUnbilled } from './close-tenant.ts';
import { removeLeft, selectLeft } from './remove-left.ts';

const ALL = 'all';
const NOTHING: CloseOutcome = { closed: 0, failed: 0 };

type CloseServices = { readonly store: Store; readonly clock: Clock; readonly log: Log; readonly biller: Biller };

/**
 * An invoice needs up to ten Stripe calls and three seconds, so 16 invoices at a time make 50 calls a second. Stripe
 * allows 100 calls a second in total, and 25 per endpoint, of which the endpoint for invoice items needs 15.
 */
export const CLOSING: Turns = {
  what: 'tenants whose months `close-month` closes',
  owner: 'process',
  running: 16,
  runningPerOwner: 16,
};

/** The number of tenants without costs that one commit closes. Each needs two of the 500 writes of a commit. */
const SKIPPED_PER_COMMIT = 200;
/** The number of tenants per page. It is large because no request waits in this process while a page is decoded. */
const TENANTS_PER_PAGE = 1_000;

/** The number of closed months, and the number of tenants for which closing a month failed. */
interface CloseSummary {
  readonly closed: number;
  readonly failed: number;
}

/** Each comparison needs two Stripe calls, so these are 20 calls a second. */
const COMPARISONS_PER_MINUTE = 600;
export const COMPARISONS: Tokens = {
  what: 'comparisons of subscriptions with Stripe',
  owner: 'process',
  limit: `${COMPARISONS_PER_MINUTE} a minute`,
};
export const COMPARING: Turns = {
  what: 'subscriptions that `close-month` compares with Stripe',
  owner: 'process',
  running: 4,
  runningPerOwner: 4,
};

/**
 * Closes all past months, each tenant's oldest first, and removes tenants that were left. Then compares subscriptions
 * with Stripe. Idempotent, also when two runs overlap.
 */
export async function closeMonths(services: CloseServices): Promise<CloseSummary> {
  const giveUpAt = performance.now() + CLOSE_BEGINS_MS;
  const run = { startedAt: services.clock.now(), giveUpAt };
  const queue = new FairQueue(CLOSING);
  const outcomes: CloseOutcome[] = [];
  for await (const page of findWork(services, run)) {
    const closings = page.map((work) => queue.run(ALL, async () => (performance.now() < giveUpAt ? work() : NOTHING)));
    outcomes.push(...(await Promise.all(closings)));
    if (performance.now() >= giveUpAt) break;
  }
  const count = (what: keyof CloseOutcome) => outcomes.reduce((sum, outcome) => sum + outcome[what], 0);
  const summary = { closed: count('closed'), failed: count('failed') };
  const fields = { ...summary, oldest_due_s: await readOldestDue(services) };
  services.log.write(summary.failed > 0 ? 'close-month finished with failures' : 'close-month finished', fields);
  await compareWithStripe(services, giveUpAt);
  return summary;
}

/** Reads subscriptions from Stripe that were not read for a day, because webhooks can be lost. */
async function compareWithStripe({ store, clock, biller }: CloseServices, giveUpAt: number): Promise<void> {
  const pace = new Rate(COMPARISONS, perMinute(COMPARISONS_PER_MINUTE));
  const queue = new FairQueue(COMPARING);
  const compare = async (tenant: Tenant) => {
    if (!biller.mayOwe(tenant) || performance.now() >= giveUpAt) return;
    await pace.wait(ALL, ['all']);
    await biller.prepare(tenant.id);
  };
  const until = makeInstant(clock.now() + 1);
  for await (const page of store.pages(TENANTS_BY_STRIPE_CHECK, { equal: [], until })) {
    await Promise.all(page.map((tenant) => queue.run(ALL, () => compare(tenant))));
    if (performance.now() >= giveUpAt) break;
  }
}

/** Yields the work for each page of due tenants. */
async function* findWork(services: CloseServices, run: Run): AsyncGenerator<(() => Promise<CloseOutcome>)[]> {
  const until = makeInstant(run.startedAt + 1);
  for await (const due of services.store.pages(TENANTS_BY_ATTEMPT, { equal: [], until }, TENANTS_PER_PAGE)) {
    const work: (() => Promise<CloseOutcome>)[] = [];
    const unbilled: Tenant[] = [];
    const isUnbilled = (tenant: Tenant) => !services.biller.mayOwe(tenant) && tenant.close_failures === 0;
    const left = await selectLeft(services, due);
    for (const tenant of due) {
      if (left.has(tenant)) work.push(() => clearLeft(services, tenant));
      else if (isUnbilled(tenant)) unbilled.push(tenant);
      else work.push(() => closeTenant(services, tenant, run));
    }
    for (let start = 0; start < unbilled.length; start += SKIPPED_PER_COMMIT) {
      const some = unbilled.slice(start, start + SKIPPED_PER_COMMIT);
      work.push(() => skipUnbilled(services, some, run));
    }
    yield work;
  }
}

async function clearLeft(services: CloseServices, tenant: Tenant): Promise<CloseOutcome> {
  try {
    await removeLeft(services, tenant);
    return { closed: 0, failed: 0 };
  } catch (error) {
    const fields = { tenant_id: tenant.id };
    services.log.write('removing a tenant that was left failed; the next run retries it', fields, error);
    return { closed: 0, failed: 1 };
  }
}

/** Returns how many seconds ago the oldest open month became due, or 0. */
async function readOldestDue(services: CloseServices): Promise<number> {
  const now = services.clock.now();
  const [oldest] = await services.store.select(TENANTS_BY_CLOSE, { equal: [], until: makeInstant(now + 1), limit: 1 });
  return oldest === undefined ? 0 : Math.floor((now - oldest.next_close_at) / SECOND_US);
}
