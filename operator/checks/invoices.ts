import type { Month } from '../../shared/base/month.ts';
import { nextMonthStart } from '../../shared/base/month.ts';
import { type InvoicedMonth, readInvoicedMonths } from '../../shared/billing/invoiced.ts';
import { STATEMENTS, statementId, type Totals } from '../../shared/billing/statement.ts';
import { TENANTS, TENANTS_OF_ALL, type Tenant } from '../../shared/tenancy/tenant.ts';
import { checkEach, type Finding, monthsFrom, Part } from './part.ts';
import type { CheckServices } from './services.ts';

/** A tenant's month: its statement in the store, and its invoices at Stripe. */
interface Billed {
  readonly tenant: Tenant;
  readonly month: Month;
  readonly statement: Totals | undefined;
  readonly invoices: readonly InvoicedMonth[];
}

/**
 * Checks each tenant's months from `since` on. A closed month must be invoiced once, with the costs in its statement.
 * An open month without a statement must not be invoiced.
 */
export async function checkInvoices(services: CheckServices, since: Month) {
  const part = new Part('Months against invoices at Stripe', { 'months of tenants': 0, statements: 0, invoices: 0 });
  await checkEach(services.store.pages(TENANTS_OF_ALL, { equal: [] }), async ({ id, billing }) => {
    if (billing === null) return;
    let billed = await readBilled(services, id, billing.customer_id, since);
    // If there is a difference, read again, because a month may have been closed between the reads.
    if (billed.some((month) => compare(month).length > 0))
      billed = await readBilled(services, id, billing.customer_id, since);
    part.count('months of tenants', billed.length);
    part.count('statements', billed.filter(({ statement }) => statement !== undefined).length);
    part.count('invoices', billed.flatMap(({ invoices }) => invoices).length);
    part.findings.push(...billed.flatMap(compare));
  });
  return part;
}

/**
 * Reads Stripe first. The service stores a statement before it creates the invoice, so each invoice has a statement.
 */
async function readBilled(
  { store, clock, payments }: CheckServices,
  tenantId: Tenant['id'],
  customer: string,
  since: Month,
): Promise<Billed[]> {
  const invoiced = await readInvoicedMonths(payments, tenantId, customer, since);
  const tenant = await store.find(TENANTS, tenantId);
  if (tenant === undefined) return [];
  return Promise.all(
    monthsFrom(since, clock.now()).map(async (month) => ({
      tenant,
      month,
      statement: await store.find(STATEMENTS, statementId(tenantId, month)),
      invoices: invoiced.filter((invoice) => invoice.month === month),
    })),
  );
}

function compare(billed: Billed): Finding[] {
  const { tenant, month, statement, invoices } = billed;
  // A void invoice charges nothing: someone has corrected the month by hand.
  const valid = invoices.filter(({ status }) => status !== 'void');
  const about = {
    tenant_id: tenant.id,
    month,
    invoices: invoices.map(({ invoiceId }) => invoiceId).join(', '),
    owed: viewParts(statement?.parts ?? []),
    charged: viewParts(valid.flatMap(({ parts }) => parts)),
  };
  const difference = describe(billed, valid, about);
  if (difference === undefined) return [];
  return [{ ...difference, about, text: `tenant ${tenant.id}, ${month}: ${difference.text}` }];
}

function describe(
  { tenant, month, statement, invoices }: Billed,
  valid: readonly InvoicedMonth[],
  said: { readonly invoices: string; readonly owed: string; readonly charged: string },
): Omit<Finding, 'about'> | undefined {
  const tiers = valid.flatMap(({ parts }) => parts).map(({ tier }) => tier);
  if (new Set(tiers).size < tiers.length)
    return { kind: 'month-invoiced-twice', text: `invoices ${said.invoices} charge ${said.charged}` };
  if (tenant.next_close_at <= nextMonthStart(month)) {
    // If there is a statement, close-month has begun to close the month and will finish it.
    if (statement !== undefined || valid.length === 0) return undefined;
    const text = `invoice ${said.invoices} charges ${said.charged || 'nothing'}, but the month is open in the store`;
    return { kind: 'month-open', text, remedy: 'close-month will find this invoice and will not create another one' };
  }
  const draft = valid.find(({ status }) => status === 'draft');
  if (draft !== undefined) {
    const text = `the month is closed, but invoice ${draft.invoiceId} is still a draft`;
    return { kind: 'month-not-invoiced', text, remedy: 'Finalize it at Stripe' };
  }
  if (said.owed !== '' && invoices.length === 0) {
    const text = `the month is closed and costs ${said.owed}, but Stripe has no invoice`;
    return { kind: 'month-not-invoiced', text, remedy: 'Invoice the month at Stripe' };
  }
  if (valid.length === 0 || said.owed === said.charged) return undefined;
  const text = `the statement says ${said.owed || 'nothing'}, but invoice ${said.invoices} charges ${said.charged || 'nothing'}`;
  return { kind: 'invoice-differs', text };
}

/** Returns the cost of each tier in cents, such as `hsm 3500, wrapped 300`. */
function viewParts(parts: readonly { readonly tier: string; readonly cents: number }[]): string {
  return parts
    .map(({ tier, cents }) => `${tier} ${cents}`)
    .toSorted()
    .join(', ');
}
