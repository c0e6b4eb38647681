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
  test('Stripe’s type of a customer has every field of the emulator’s customers', () => {
    expectTypeOf<Customer>().toExtend<PartOf<Stripe.Customer>>();
    expectTypeOf<Exclude<keyof Customer, keyof Stripe.Customer>>().toBeNever();
  });
  test('Stripe’s types of a subscription and its items have every field of the emulator’s subscriptions and items', () => {
    type Item = Subscription['items']['data'][number];
    expectTypeOf<Subscription>().toExtend<PartOf<Stripe.Subscription>>();
    expectTypeOf<Exclude<keyof Subscription, keyof Stripe.Subscription>>().toBeNever();
    expectTypeOf<Exclude<keyof Item, keyof Stripe.SubscriptionItem>>().toBeNever();
  });
  test('Stripe’s type of an invoice has every field of the emulator’s invoices', () => {
    expectTypeOf<Invoice>().toExtend<PartOf<Stripe.Invoice>>();
    expectTypeOf<Exclude<keyof Invoice, keyof Stripe.Invoice>>().toBeNever();
  });
  test('Stripe’s type of an invoice item has every field of the emulator’s invoice items', () => {
    expectTypeOf<InvoiceItem>().toExtend<PartOf<Stripe.InvoiceItem>>();
    expectTypeOf<Exclude<keyof InvoiceItem, keyof Stripe.InvoiceItem>>().toBeNever();
  });
  test('Stripe’s type of a checkout session has every field of the emulator’s checkout sessions', () => {
    expectTypeOf<CheckoutSession>().toExtend<PartOf<Stripe.Checkout.Session>>();
    expectTypeOf<Exclude<keyof CheckoutSession, keyof Stripe.Checkout.Session>>().toBeNever();
  });
  test('Stripe’s type of a billing portal session has every field of the emulator’s billing portal sessions', () => {
    expectTypeOf<PortalSession>().toExtend<PartOf<Stripe.BillingPortal.Session>>();
    expectTypeOf<Exclude<keyof PortalSession, keyof Stripe.BillingPortal.Session>>().toBeNever();
  });
  test('Stripe’s type of an event has every field of the emulator’s events', () => {
    type Envelope = Omit<Stripe.CustomerCreatedEvent, 'data' | 'type'>;
    expectTypeOf<Event>().toExtend<Envelope>();
    expectTypeOf<Exclude<keyof Event, keyof Stripe.CustomerCreatedEvent>>().toBeNever();
  });
});
