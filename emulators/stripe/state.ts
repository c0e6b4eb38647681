import * as z from 'zod';
import {
  checkoutSessionRecord,
  customerRecord,
  invoiceItemRecord,
  invoiceRecord,
  portalSessionRecord,
  priceRecord,
  productRecord,
  subscriptionRecord,
} from './records.ts';

const eventRecord = z.object({
  id: z.string(),
  created: z.int(),
  type: z.string(),
  object: z.record(z.string(), z.unknown()),
  previous_attributes: z.record(z.string(), z.unknown()).nullable(),
  request: z.object({ id: z.string().nullable(), idempotency_key: z.string().nullable() }),
});

const idempotentAnswer = z.object({
  key: z.string(),
  created: z.int(),
  fingerprint: z.string(),
  request_id: z.string(),
  body: z.string(),
});

/** Everything that a Stripe account holds, oldest first in every list. */
export const stateSchema = z.object({
  customers: z.array(customerRecord),
  products: z.array(productRecord),
  prices: z.array(priceRecord),
  subscriptions: z.array(subscriptionRecord),
  invoices: z.array(invoiceRecord),
  invoice_items: z.array(invoiceItemRecord),
  checkout_sessions: z.array(checkoutSessionRecord),
  portal_sessions: z.array(portalSessionRecord),
  events: z.array(eventRecord),
  deliveries: z.array(z.object({ event: z.string(), attempts: z.int() })),
  idempotent_answers: z.array(idempotentAnswer),
});

export type State = z.infer<typeof stateSchema>;
export type EventRecord = z.infer<typeof eventRecord>;
export type Delivery = State['deliveries'][number];
export type IdempotentAnswer = z.infer<typeof idempotentAnswer>;

/** The state of an account in which nothing has happened yet. */
export function emptyState(): State {
  return {
    customers: [],
    products: [],
    prices: [],
    subscriptions: [],
    invoices: [],
    invoice_items: [],
    checkout_sessions: [],
    portal_sessions: [],
    events: [],
    deliveries: [],
    idempotent_answers: [],
  };
}
