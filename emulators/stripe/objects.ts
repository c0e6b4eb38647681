import { z } from 'zod';
import { StateFile } from '../base/state-file.ts';

/** Seconds since the Unix epoch. */
const seconds = z.int();
const metadata = z.record(z.string(), z.string());

const customer = z.object({ id: z.string(), object: z.literal('customer'), created: seconds, metadata });

/** What remains of a deleted customer (https://docs.stripe.com/api/customers/delete). */
const deletedCustomer = z.object({ id: z.string(), object: z.literal('customer'), deleted: z.literal(true) });

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

const subscriptionItem = z.object({
  id: z.string(),
  object: z.literal('subscription_item'),
  price: z.object({ id: z.string(), object: z.literal('price') }),
  quantity: z.literal(1),
  current_period_start: seconds,
  current_period_end: seconds,
});

const subscription = z.object({
  id: z.string(),
  object: z.literal('subscription'),
  created: seconds,
  customer: z.string(),
  status: subscriptionStatus,
  metadata,
  billing_cycle_anchor: seconds,
  default_payment_method: z.string().nullable().default(null),
  items: z.object({ object: z.literal('list'), data: z.tuple([subscriptionItem], subscriptionItem) }),
});

const invoice = z.object({
  id: z.string(),
  object: z.literal('invoice'),
  created: seconds,
  customer: z.string(),
  billing_reason: z.enum(['manual', 'subscription_cycle']),
  status: z.enum(['draft', 'open', 'paid']),
  auto_advance: z.boolean(),
  automatically_finalizes_at: seconds.nullable(),
  default_payment_method: z.string().nullable().default(null),
  description: z.string().nullable(),
  metadata,
  period_start: seconds,
  period_end: seconds,
  currency: z.literal('usd'),
  total: z.int(),
});

const invoiceItem = z.object({
  id: z.string(),
  object: z.literal('invoiceitem'),
  date: seconds,
  customer: z.string(),
  invoice: z.string(),
  amount: z.int(),
  currency: z.literal('usd'),
  description: z.string().nullable(),
  metadata,
});

const checkoutSession = z.object({
  id: z.string(),
  object: z.literal('checkout.session'),
  created: seconds,
  expires_at: seconds,
  mode: z.literal('subscription'),
  status: z.enum(['open', 'complete', 'expired']),
  customer: z.string(),
  client_reference_id: z.string().nullable(),
  success_url: z.string(),
  cancel_url: z.string(),
  /** The URL of the payment page, or `null` if the session is no longer open. */
  url: z.string().nullable(),
  subscription: z.string().nullable(),
});

const portalSession = z.object({
  id: z.string(),
  object: z.literal('billing_portal.session'),
  created: seconds,
  customer: z.string(),
  return_url: z.string(),
  url: z.string(),
});

const event = z.object({
  id: z.string(),
  object: z.literal('event'),
  api_version: z.string(),
  created: seconds,
  type: z.string(),
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
  livemode: z.literal(false),
  /** The number of webhooks that must still be sent: 1 until the event is delivered, then 0. */
  pending_webhooks: z.int(),
  request: z.null(),
});

/** The objects of a Stripe account, in the form that the API returns. All lists are in order of creation. */
const stateSchema = z.object({
  customers: z.array(customer),
  deleted_customers: z.array(deletedCustomer).default([]),
  subscriptions: z.array(subscription),
  invoices: z.array(invoice),
  invoice_items: z.array(invoiceItem),
  /** `sells` describes the subscription that the session will start. The API does not return this field. */
  checkout_sessions: z.array(checkoutSession.extend({ sells: z.object({ price: z.string(), metadata }) })),
  portal_sessions: z.array(portalSession),
  events: z.array(event),
  idempotent_answers: z.array(z.object({ key: z.string(), created: seconds, request: z.string(), answer: z.string() })),
});

export type State = z.output<typeof stateSchema>;
export type Customer = z.output<typeof customer>;
export type Subscription = z.output<typeof subscription>;
export type SubscriptionStatus = z.output<typeof subscriptionStatus>;
export type Invoice = z.output<typeof invoice>;
export type InvoiceItem = z.output<typeof invoiceItem>;
export type CheckoutSession = z.output<typeof checkoutSession>;
export type PortalSession = z.output<typeof portalSession>;
export type Event = z.output<typeof event>;

export interface Store {
  readonly state: State;
  /** Saves the state if it has changed. If that fails, the next save tries again. */
  save(): void;
}

/** Opens a store. Without a file, the state is only in memory. Throws if the file is not a valid state file. */
export function openStore(path: string | undefined): Store {
  const file = new StateFile(path, stateSchema);
  const state = file.read() ?? emptyState();
  let saved = '';
  return {
    state,
    save() {
      const text = JSON.stringify(state);
      if (text !== saved && file.save(state)) saved = text;
    },
  };
}

function emptyState(): State {
  return {
    customers: [],
    deleted_customers: [],
    subscriptions: [],
    invoices: [],
    invoice_items: [],
    checkout_sessions: [],
    portal_sessions: [],
    events: [],
    idempotent_answers: [],
  };
}
