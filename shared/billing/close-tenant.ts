import { HOUR_US, type Instant, MINUTE_US, makeInstant } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { type Month, monthOf, nextMonthStart } from '../metering/month.ts';
import { TENANTS, type Tenant } from '../tenancy/tenant.ts';
import { changeTenant } from '../tenancy/tenants.ts';
import { invoiceStatement } from './invoice.ts';
import { STATEMENTS, statementId, type Totals } from './statement.ts';
import { drawUp } from './statements.ts';
import { storeStatement } from './stored-statement.ts';

/** What became of a tenant, or of some. */
export interface Outcome {
  /** Months that were closed. */
  readonly closed: number;
  /** Tenants that stay for a later run. */
  readonly failed: number;
}

/**
 * A tenant that failed once is tried again by the next run: most of what fails has passed by then. After the second failure
 * it waits, and twice as long after each that follows, up to the longest wait.
 */
const FIRST_WAIT_US = 4 * MINUTE_US;
const LONGEST_WAIT_US = 6 * HOUR_US;

/**
 * Whether all months of the tenant that are due cost nothing, without a look at its keys: where billing is not configured, and
 * for who never was a customer, and so never in good standing, which a paid key takes.
 */
export function owesNothing({ payments }: Env, { billing }: Tenant): boolean {
  return payments === undefined || billing === null;
}

/** Goes on to the current month of tenants that owe nothing, in one commit. What becomes of them meanwhile stays. */
export async function passOver(env: Env, tenants: readonly Tenant[], giveUpAt: number): Promise<Outcome> {
  const end = nextMonthStart(monthOf(env.clock.now()));
  try {
    await env.store.write((writes) => {
      for (const { id } of tenants) {
        writes.setInstant(TENANTS, id, 'next_close_at', end);
        writes.setInstant(TENANTS, id, 'close_attempt_at', end);
      }
    });
    return { closed: tenants.reduce((sum, tenant) => sum + countMonths(tenant.next_close_at, end), 0), failed: 0 };
  } catch {
    // Whoever is the cause fails alone.
    let [closed, failed] = [0, 0];
    for (const tenant of tenants) {
      const outcome = await closeTenant(env, tenant, giveUpAt);
      closed += outcome.closed;
      failed += outcome.failed;
    }
    return { closed, failed };
  }
}

/** Closes the months of the tenant that are due, oldest first, until one fails or `giveUpAt` of the monotonic clock has passed. */
export async function closeTenant(env: Env, tenant: Tenant, giveUpAt: number): Promise<Outcome> {
  let closed = 0;
  try {
    if (!owesNothing(env, tenant)) await env.standings?.refresh(tenant.id);
    for (let next = tenant; next.next_close_at <= env.clock.now() && performance.now() < giveUpAt; closed++) {
      next = await closeMonth(env, next);
    }
    return { closed, failed: 0 };
  } catch (error) {
    env.log.write('ERROR', 'a tenant stays for a later run', { tenant_id: tenant.id }, error);
    await postpone(env, tenant.id).catch((again) => {
      env.log.write('ERROR', 'a tenant could not be postponed', { tenant_id: tenant.id }, again);
    });
    return { closed, failed: 1 };
  }
}

/** Closes the tenant's oldest open month: writes the statement, puts it on an invoice, then goes on to the next month. */
async function closeMonth(env: Env, tenant: Tenant): Promise<Tenant> {
  const { payments } = env;
  const { billing, next_close_at } = tenant;
  // Months that pass without billing cost nothing, then or once it is configured.
  if (payments !== undefined && billing !== null) {
    const statement = await writeStatement(env, tenant.id, monthOf(makeInstant(next_close_at - 1)));
    if (statement.parts.length > 0) await invoiceStatement(payments, billing.customer_id, statement);
  }
  const end = nextMonthStart(monthOf(next_close_at));
  return changeTenant(env.store, tenant.id, (fresh) =>
    fresh.next_close_at === next_close_at
      ? { ...fresh, next_close_at: end, close_attempt_at: end, close_failures: 0 }
      : fresh,
  );
}

/** The month's statement, written once: whoever comes second takes what is there. */
async function writeStatement(env: Env, tenantId: TenantId, month: Month): Promise<Totals> {
  const written = await env.store.find(STATEMENTS, statementId(tenantId, month));
  return written ?? storeStatement(env.store, await drawUp(env, tenantId, month));
}

/** Has the tenant tried again later, each time later than before, so that it takes no time from others meanwhile. */
function postpone(env: Env, tenantId: TenantId): Promise<Tenant> {
  return changeTenant(env.store, tenantId, (tenant) => {
    const now = env.clock.now();
    // Another run may have closed what this one could not.
    if (tenant.next_close_at > now) return tenant;
    const close_failures = tenant.close_failures + 1;
    return { ...tenant, close_attempt_at: makeInstant(now + waitAfter(close_failures)), close_failures };
  });
}

/** How long a tenant waits after so many failures, in microseconds. */
function waitAfter(failures: number): number {
  return failures === 1 ? 0 : Math.min(FIRST_WAIT_US * 2 ** (failures - 2), LONGEST_WAIT_US);
}

/** The months that end from the first of the two times on and before the second. */
function countMonths(from: Instant, until: Instant): number {
  let months = 0;
  for (let end = from; end < until; end = nextMonthStart(monthOf(end))) months++;
  return months;
}
