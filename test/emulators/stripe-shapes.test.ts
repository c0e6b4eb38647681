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

/** The type `T` of Stripe’s library, but with every field optional, at any depth. */
type PartOf<T> = T extends readonly (infer Item)[]
  ? readonly PartOf<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: PartOf<T[Key]> }
    : T;

describe('the emulator’s objects', () => {
  test('every field of a customer is a field of its type in Stripe’s library', () => {
    expectTypeOf<Customer>().toExtend<PartOf<Stripe.Customer>>();
    expectTypeOf<Exclude<keyof Customer, keyof Stripe.Customer>>().toBeNever();
  });
  test('every field of a subscription and its items is a field of their types in Stripe’s library', () => {
    type Item = Subscription['items']['data'][number];
    expectTypeOf<Subscription>().toExtend<PartOf<Stripe.Subscription>>();
    expectTypeOf<Exclude<keyof Subscription, keyof Stripe.Subscription>>().toBeNever();
    expectTypeOf<Exclude<keyof Item, keyof Stripe.SubscriptionItem>>().toBeNever();
  });
  test('every field of an invoice is a field of its type in Stripe’s library', () => {
    expectTypeOf<Invoice>().toExtend<PartOf<Stripe.Invoice>>();
    expectTypeOf<Exclude<keyof Invoice, keyof Stripe.Invoice>>().toBeNever();
  });
  test('every field of an invoice item is a field of its type in Stripe’s library', () => {
    expectTypeOf<InvoiceItem>().toExtend<PartOf<Stripe.InvoiceItem>>();
    expectTypeOf<Exclude<keyof InvoiceItem, keyof Stripe.InvoiceItem>>().toBeNever();
  });
  test('every field of a checkout session is a field of its type in Stripe’s library', () => {
    expectTypeOf<CheckoutSession>().toExtend<PartOf<Stripe.Checkout.Session>>();
    expectTypeOf<Exclude<keyof CheckoutSession, keyof Stripe.Checkout.Session>>().toBeNever();
  });
  test('every field of a billing portal session is a field of its type in Stripe’s library', () => {
    expectTypeOf<PortalSession>().toExtend<PartOf<Stripe.BillingPortal.Session>>();
    expectTypeOf<Exclude<keyof PortalSession, keyof Stripe.BillingPortal.Session>>().toBeNever();
  });
  test('every field of an event is a field of its type in Stripe’s library', () => {
    type Envelope = Omit<Stripe.CustomerCreatedEvent, 'data' | 'type'>;
    expectTypeOf<Event>().toExtend<Envelope>();
    expectTypeOf<Exclude<keyof Event, keyof Stripe.CustomerCreatedEvent>>().toBeNever();
  });
});
