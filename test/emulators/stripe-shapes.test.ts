import type Stripe from 'stripe';
import { describe, expectTypeOf, test } from 'vitest';
import type {
  CheckoutSession,
  Customer,
  Event,
  Invoice,
  InvoiceItem,
  PortalSession,
  Subscription,
} from '../../emulators/stripe/objects.ts';

/** What the emulator has of an object of the client's types: no additional field, and nested objects likewise. */
type PartOf<T> = T extends readonly (infer Item)[]
  ? readonly PartOf<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: PartOf<T[Key]> }
    : T;

describe('every field of an object is one that the client’s types have, of their type', () => {
  test('customer', () => {
    expectTypeOf<Customer>().toExtend<PartOf<Stripe.Customer>>();
    expectTypeOf<Exclude<keyof Customer, keyof Stripe.Customer>>().toBeNever();
  });
  test('subscription and its items', () => {
    type Item = Subscription['items']['data'][number];
    expectTypeOf<Subscription>().toExtend<PartOf<Stripe.Subscription>>();
    expectTypeOf<Exclude<keyof Subscription, keyof Stripe.Subscription>>().toBeNever();
    expectTypeOf<Exclude<keyof Item, keyof Stripe.SubscriptionItem>>().toBeNever();
  });
  test('invoice', () => {
    expectTypeOf<Invoice>().toExtend<PartOf<Stripe.Invoice>>();
    expectTypeOf<Exclude<keyof Invoice, keyof Stripe.Invoice>>().toBeNever();
  });
  test('invoice item', () => {
    expectTypeOf<InvoiceItem>().toExtend<PartOf<Stripe.InvoiceItem>>();
    expectTypeOf<Exclude<keyof InvoiceItem, keyof Stripe.InvoiceItem>>().toBeNever();
  });
  test('checkout session', () => {
    expectTypeOf<CheckoutSession>().toExtend<PartOf<Stripe.Checkout.Session>>();
    expectTypeOf<Exclude<keyof CheckoutSession, keyof Stripe.Checkout.Session>>().toBeNever();
  });
  test('billing portal session', () => {
    expectTypeOf<PortalSession>().toExtend<PartOf<Stripe.BillingPortal.Session>>();
    expectTypeOf<Exclude<keyof PortalSession, keyof Stripe.BillingPortal.Session>>().toBeNever();
  });
  test('event', () => {
    type Envelope = Omit<Stripe.CustomerCreatedEvent, 'data' | 'type'>;
    expectTypeOf<Event>().toExtend<Envelope>();
    expectTypeOf<Exclude<keyof Event, keyof Stripe.CustomerCreatedEvent>>().toBeNever();
  });
});
