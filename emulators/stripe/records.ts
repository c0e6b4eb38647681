import * as z from 'zod';

/** Seconds since the Unix epoch, as everywhere in Stripe's API. */
const seconds = z.int();
const metadata = z.record(z.string(), z.string());
const text = z.string().nullable();
const period = z.object({ start: seconds, end: seconds });

export const customerRecord = z.object({
  id: z.string(),
  created: seconds,
  name: text,
  email: text,
  description: text,
  phone: text,
  metadata,
  invoice_prefix: z.string(),
  next_invoice_sequence: z.int(),
});

export const productRecord = z.object({
  id: z.string(),
  created: seconds,
  updated: seconds,
  active: z.boolean(),
  name: z.string(),
  description: text,
  metadata,
});

export const priceRecord = z.object({
  id: z.string(),
  created: seconds,
  active: z.boolean(),
  currency: z.string(),
  product: z.string(),
  nickname: text,
  lookup_key: text,
  metadata,
  recurring: z.boolean(),
  unit_amount_decimal: z.string(),
});

/** Each is one of the statuses that a subscription goes through at Stripe. */
export const subscriptionStatus = z.enum([
  'active',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid',
]);

export const anchorConfigRecord = z.object({
  day_of_month: z.int(),
  hour: z.int().nullable(),
  minute: z.int().nullable(),
  second: z.int().nullable(),
});

export const subscriptionRecord = z.object({
  id: z.string(),
  created: seconds,
  customer: z.string(),
  status: subscriptionStatus,
  description: text,
  metadata,
  items: z.array(z.object({ id: z.string(), price: z.string(), quantity: z.int() })),
  billing_cycle_anchor: seconds,
  billing_cycle_anchor_config: anchorConfigRecord.nullable(),
  current_period: period,
  cancel_at_period_end: z.boolean(),
  canceled_at: seconds.nullable(),
  ended_at: seconds.nullable(),
  trial: period.nullable(),
  latest_invoice: text,
});

export const invoiceRecord = z.object({
  id: z.string(),
  created: seconds,
  customer: z.string(),
  subscription: text,
  billing_reason: z.enum(['manual', 'subscription_cycle']),
  status: z.enum(['draft', 'open', 'paid']),
  currency: z.string(),
  description: text,
  metadata,
  auto_advance: z.boolean(),
  automatically_finalizes_at: seconds.nullable(),
  number: text,
  period,
  finalized_at: seconds.nullable(),
  paid_at: seconds.nullable(),
  attempt_count: z.int(),
  subscription_lines: z.array(
    z.object({
      id: z.string(),
      subscription_item: z.string(),
      price: z.string(),
      product: z.string(),
      unit_amount_decimal: z.string(),
      quantity: z.int(),
      amount: z.int(),
      description: z.string(),
      period,
    }),
  ),
});

export const invoiceItemRecord = z.object({
  id: z.string(),
  line_id: z.string(),
  date: seconds,
  customer: z.string(),
  invoice: text,
  subscription: text,
  was_pending: z.boolean(),
  amount: z.int(),
  unit_amount_decimal: z.string(),
  quantity_decimal: z.string(),
  currency: z.string(),
  description: text,
  discountable: z.boolean(),
  metadata,
  period,
});

export const checkoutSessionRecord = z.object({
  id: z.string(),
  created: seconds,
  expires_at: seconds,
  status: z.enum(['open', 'complete', 'expired']),
  customer: text,
  customer_email: text,
  client_reference_id: text,
  metadata,
  success_url: z.string(),
  cancel_url: text,
  line_items: z.array(z.object({ id: z.string(), price: z.string(), quantity: z.int() })),
  subscription: text,
  subscription_data: z.object({
    description: text,
    metadata,
    billing_cycle_anchor: seconds.nullable(),
    billing_cycle_anchor_config: anchorConfigRecord.nullable(),
  }),
});

export const portalSessionRecord = z.object({
  id: z.string(),
  created: seconds,
  customer: z.string(),
  return_url: text,
});

export type CustomerRecord = z.infer<typeof customerRecord>;
export type ProductRecord = z.infer<typeof productRecord>;
export type PriceRecord = z.infer<typeof priceRecord>;
/** A status that a subscription can have at Stripe. */
export type SubscriptionStatus = z.infer<typeof subscriptionStatus>;
export type AnchorConfigRecord = z.infer<typeof anchorConfigRecord>;
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;
export type InvoiceRecord = z.infer<typeof invoiceRecord>;
export type InvoiceItemRecord = z.infer<typeof invoiceItemRecord>;
export type CheckoutSessionRecord = z.infer<typeof checkoutSessionRecord>;
export type PortalSessionRecord = z.infer<typeof portalSessionRecord>;
/** From the first second on, up to but without the last, in seconds since the epoch. */
export type Period = z.infer<typeof period>;
