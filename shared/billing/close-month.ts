import { makeInstant } from '../base/clock.ts';
import { type Bounds, inLanes } from '../base/lanes.ts';
import type { Env } from '../env.ts';
import { type Month, monthOf, nextMonthStart } from '../metering/month.ts';
import { isAlreadyExists } from '../store/store.ts';
import { TENANTS, TENANTS_BY_CLOSE, type Tenant } from '../tenancy/tenant.ts';
import { loadTenant } from '../tenancy/tenants.ts';
import { invoiceStatement } from './invoice.ts';
import { STATEMENTS, type Statement, statementId } from './statement.ts';
import { drawUp } from './statements.ts';

/** A run takes at most so many tenants; the next run goes on. */
const TENANTS_PER_RUN = 1_000;
const BOUNDS: Bounds = { sideBySide: 4, forMs: 50_000 };

/** What a run did. */
export interface CloseSummary {
  /** Months of tenants. */
  readonly closed: number;
  /** Tenants that stay for the next run. */
  readonly failed: number;
}

/**
 * Closes every month before the current one that is not closed yet, each tenant's oldest first. A tenant that fails does
 * not stop the others. Safe to run twice at once, and to begin again wherever it stopped.
 */
export async function closeMonths(env: Env): Promise<CloseSummary> {
  const due = await env.store.select(TENANTS_BY_CLOSE, {
    equal: [],
    until: makeInstant(env.clock.now() + 1),
    limit: TENANTS_PER_RUN,
  });
  const outcomes = await inLanes(due, BOUNDS, (tenant) => attempt(env, tenant));
  const summary = {
    closed: outcomes.reduce<number>((sum, closed) => sum + (closed ?? 0), 0),
    failed: outcomes.filter((closed) => closed === undefined).length,
  };
  env.log.write(summary.failed > 0 ? 'ERROR' : 'INFO', 'close-month', summary);
  return summary;
}

/** How many months of the tenant were closed, or `undefined` when one of them failed. */
async function attempt(env: Env, tenant: Tenant): Promise<number | undefined> {
  try {
    let closed = 0;
    for (let next = tenant; next.next_close_at <= env.clock.now(); closed++) next = await closeMonth(env, next);
    return closed;
  } catch (error) {
    env.log.write('ERROR', 'a tenant stays for the next run', { tenant_id: tenant.id }, error);
    return undefined;
  }
}

/** Closes the tenant's oldest open month: writes the statement, puts it on an invoice, then goes on to the next month. */
async function closeMonth(env: Env, tenant: Tenant): Promise<Tenant> {
  const { payments } = env;
  const month = monthOf(makeInstant(tenant.next_close_at - 1));
  // Months that pass without billing cost nothing, then or once it is configured.
  if (payments !== undefined) {
    const statement = await writeStatement(env, tenant, month);
    if (statement.parts.length > 0 && tenant.billing !== null) {
      await invoiceStatement(payments, tenant.billing.customer_id, statement);
    }
  }
  return env.store.transact(async (tx) => {
    const fresh = await loadTenant(tx, tenant.id);
    if (fresh.next_close_at !== tenant.next_close_at) return fresh;
    const advanced = { ...fresh, next_close_at: nextMonthStart(monthOf(tenant.next_close_at)) };
    tx.replace(TENANTS, tenant.id, advanced);
    return advanced;
  });
}

/** The month's statement, written once: whoever comes second takes what is there. */
async function writeStatement(env: Env, tenant: Tenant, month: Month): Promise<Statement> {
  const id = statementId(tenant.id, month);
  const written = await env.store.find(STATEMENTS, id);
  if (written !== undefined) return written;
  const statement = await drawUp(env, tenant.id, month);
  try {
    await env.store.write((writes) => writes.claim(STATEMENTS, id, statement));
    return statement;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return (await env.store.find(STATEMENTS, id)) ?? statement;
  }
}
