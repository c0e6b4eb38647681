import { type Clock, HOUR_US, type Instant, MINUTE_US, makeInstant } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { monthOf, nextMonthStart } from '../base/month.ts';
import type { Store } from '../store/store.ts';
import { TENANTS, type Tenant } from '../tenancy/tenant.ts';
import { changeTenant } from '../tenancy/tenants.ts';
import type { Biller } from './biller.ts';

export interface CloseOutcome {
  readonly closed: number;
  readonly failed: number;
}

/** A run of the job. It closes no month that ends after its start, because the last operations may not be stored yet. */
export interface Run {
  readonly startedAt: Instant;
  /** The time of `performance.now()` at which the run begins no further month. */
  readonly giveUpAt: number;
}

/** The wait after a second failure. It doubles up to `LONGEST_WAIT_US`. A first failure is retried at once. */
const FIRST_WAIT_US = 4 * MINUTE_US;
const LONGEST_WAIT_US = 6 * HOUR_US;

/** Closes all past months of tenants without costs, in one commit. */
export async function skipUnbilled(
  services: { readonly store: Store; readonly clock: Clock; readonly log: Log; readonly biller: Biller },
  tenants: readonly Tenant[],
  run: Run,
): Promise<CloseOutcome> {
  const end = nextMonthStart(monthOf(run.startedAt));
  try {
    await services.store.write((writes) => {
      for (const { id } of tenants) {
        writes.setInstant(TENANTS, id, 'next_close_at', end);
        writes.setInstant(TENANTS, id, 'close_attempt_at', end);
      }
    });
    return { closed: tenants.reduce((sum, tenant) => sum + countMonths(tenant.next_close_at, end), 0), failed: 0 };
  } catch {
    // Try the tenants one by one, so that one failing tenant does not stop the others.
    let [closed, failed] = [0, 0];
    for (const tenant of tenants) {
      const outcome = await closeTenant(services, tenant, run);
      closed += outcome.closed;
      failed += outcome.failed;
    }
    return { closed, failed };
  }
}

/** Closes a tenant's past months, oldest first, until one fails or the run gives up. */
export async function closeTenant(
  services: { readonly store: Store; readonly clock: Clock; readonly log: Log; readonly biller: Biller },
  tenant: Tenant,
  run: Run,
): Promise<CloseOutcome> {
  let closed = 0;
  if (services.biller.mayOwe(tenant)) await services.biller.prepare(tenant.id);
  try {
    for (let next = tenant; next.next_close_at <= run.startedAt && performance.now() < run.giveUpAt; closed++) {
      next = await closeMonth(services, next);
    }
    return { closed, failed: 0 };
  } catch (error) {
    services.log.write(
      'closing the month failed for a tenant; the next run retries it',
      { tenant_id: tenant.id },
      error,
    );
    await postpone(services, tenant.id).catch((again) => {
      services.log.write(
        'storing the next attempt to close a month failed; the next run retries it',
        { tenant_id: tenant.id },
        again,
      );
    });
    return { closed, failed: 1 };
  }
}

async function closeMonth(
  { store, biller }: { readonly store: Store; readonly biller: Biller },
  tenant: Tenant,
): Promise<Tenant> {
  const { next_close_at } = tenant;
  await biller.bill(tenant, monthOf(makeInstant(next_close_at - 1)));
  const end = nextMonthStart(monthOf(next_close_at));
  return changeTenant(store, tenant.id, (fresh) =>
    fresh.next_close_at === next_close_at
      ? { ...fresh, next_close_at: end, close_attempt_at: end, close_failures: 0 }
      : fresh,
  );
}

/** Stores a later time for the next attempt, so that a failing tenant does not delay other tenants. */
function postpone(
  services: { readonly store: Store; readonly clock: Clock; readonly log: Log; readonly biller: Biller },
  tenantId: TenantId,
): Promise<Tenant> {
  return changeTenant(services.store, tenantId, (tenant) => {
    const now = services.clock.now();
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
