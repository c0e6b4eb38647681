import type { TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Month } from '../base/month.ts';
import type { Store } from '../store/store.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { ensureCustomer } from './customer.ts';
import { invoiceStatement } from './invoice.ts';
import type { Payments } from './payments.ts';
import { STATEMENTS, statementId, type Totals } from './statement.ts';
import { computeStatement, storeStatement } from './statements.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface Biller {
  /** Whether any month of the tenant can have costs. */
  mayOwe(tenant: Tenant): boolean;
  /** Updates the tenant's subscription before its months are closed. Never rejects. */
  prepare(tenantId: TenantId): Promise<void>;
  /** Stores the month's statement and invoices it. Idempotent. */
  bill(tenant: Tenant, month: Month): Promise<void>;
}

/** Without billing, closed months cost nothing, even if billing is configured later. */
export const NO_BILLER: Biller = {
  mayOwe: () => false,
  async prepare() {},
  async bill() {},
};

/** Bills through Stripe. A tenant without a Stripe customer owes nothing, because paid keys need a subscription. */
export function makeBiller({
  store,
  log,
  payments,
  subscriptions,
}: {
  readonly store: Store;
  readonly log: Log;
  readonly payments: Payments;
  readonly subscriptions: Subscriptions;
}): Biller {
  return {
    mayOwe: ({ billing }) => billing !== null,
    // Refresh the subscription, because a webhook may have been lost. Only log a failure, because a month without costs
    // can still be closed.
    async prepare(tenantId) {
      try {
        await subscriptions.refresh(tenantId);
      } catch (error) {
        log.write('refreshing the billing standing failed for a tenant', { tenant_id: tenantId }, error);
      }
    },
    async bill({ id, billing }, month) {
      if (billing === null) return;
      const statement = await writeStatement(store, id, month);
      if (statement.parts.length === 0) return;
      await invoiceStatement(payments, await ensureCustomer(store, payments, id), statement);
    },
  };
}

async function writeStatement(store: Store, tenantId: TenantId, month: Month): Promise<Totals> {
  const written = await store.find(STATEMENTS, statementId(tenantId, month));
  return written ?? storeStatement(store, tenantId, computeStatement(store, tenantId, month));
}
