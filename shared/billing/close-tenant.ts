import { type Clock, HOUR_US, type Instant, MINUTE_US, makeInstant } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { monthOf, nextMonthStart } from '../base/month.ts';
import type { Store } from '../store/store.ts';
import { TENANTS, type Tenant } from '../tenancy/tenant.ts';
import { changeTenant } from '../tenancy/tenants.ts';
import type { Biller } from './biller.ts';

export interface Outcome {
  readonly closed: number;
  readonly failed: number;
}

/** Exponential back-off, after a first retry at the next run, by which most failures are over. */
const FIRST_WAIT_US = 4 * MINUTE_US;
const LONGEST_WAIT_US = 6 * HOUR_US;

export interface CloseNeeds {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly biller: Biller;
}

/** Advances tenants that owe nothing to the current month, in one commit. */
export async function skipUnbilled(needs: CloseNeeds, tenants: readonly Tenant[], giveUpAt: number): Promise<Outcome> {
  const end = nextMonthStart(monthOf(needs.clock.now()));
  try {
    await needs.store.write((writes) => {
      for (const { id } of tenants) {
        writes.setInstant(TENANTS, id, 'next_close_at', end);
        writes.setInstant(TENANTS, id, 'close_attempt_at', end);
      }
    });
    return { closed: tenants.reduce((sum, tenant) => sum + countMonths(tenant.next_close_at, end), 0), failed: 0 };
  } catch {
    // One by one, so that only the tenant at fault fails.
    let [closed, failed] = [0, 0];
    for (const tenant of tenants) {
      const outcome = await closeTenant(needs, tenant, giveUpAt);
      closed += outcome.closed;
      failed += outcome.failed;
    }
    return { closed, failed };
  }
}

/** Closes the due months, oldest first, until one fails or the monotonic clock passes `giveUpAt` (milliseconds). */
export async function closeTenant(needs: CloseNeeds, tenant: Tenant, giveUpAt: number): Promise<Outcome> {
  let closed = 0;
  if (needs.biller.mayOwe(tenant)) await needs.biller.prepare(tenant.id);
  try {
    for (let next = tenant; next.next_close_at <= needs.clock.now() && performance.now() < giveUpAt; closed++) {
      next = await closeMonth(needs, next);
    }
    return { closed, failed: 0 };
  } catch (error) {
    needs.log.write('ERROR', 'a tenant stays for a later run', { tenant_id: tenant.id }, error);
    await postpone(needs, tenant.id).catch((again) => {
      needs.log.write('ERROR', 'a tenant could not be postponed', { tenant_id: tenant.id }, again);
    });
    return { closed, failed: 1 };
  }
}

async function closeMonth({ store, biller }: CloseNeeds, tenant: Tenant): Promise<Tenant> {
  const { next_close_at } = tenant;
  await biller.bill(tenant, monthOf(makeInstant(next_close_at - 1)));
  const end = nextMonthStart(monthOf(next_close_at));
  return changeTenant(store, tenant.id, (fresh) =>
    fresh.next_close_at === next_close_at
      ? { ...fresh, next_close_at: end, close_attempt_at: end, close_failures: 0 }
      : fresh,
  );
}

/** Schedules the next attempt with back-off, so that failing tenants do not take time from others. */
function postpone(needs: CloseNeeds, tenantId: TenantId): Promise<Tenant> {
  return changeTenant(needs.store, tenantId, (tenant) => {
    const now = needs.clock.now();
    // Another run may have closed the month meanwhile.
    if (tenant.next_close_at > now) return tenant;
    const close_failures = tenant.close_failures + 1;
    return { ...tenant, close_attempt_at: makeInstant(now + waitAfter(close_failures)), close_failures };
  });
}

function waitAfter(failures: number): number {
  return failures === 1 ? 0 : Math.min(FIRST_WAIT_US * 2 ** (failures - 2), LONGEST_WAIT_US);
}

function countMonths(from: Instant, until: Instant): number {
  let months = 0;
  for (let end = from; end < until; end = nextMonthStart(monthOf(end))) months++;
  return months;
}
