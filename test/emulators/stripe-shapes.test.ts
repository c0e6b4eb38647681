import type Stripe from 'stripe';
import { describe, expectTypeOf, test } from 'vitest';
import type { viewCheckoutLines, viewCheckoutSession } from '../../emulators/stripe/checkout-view.ts';
import type { viewCustomer } from '../../emulators/stripe/customers.ts';
import type { viewEvent } from '../../emulators/stripe/events.ts';
import type { viewInvoiceItem } from '../../emulators/stripe/invoice-item-view.ts';
import type { viewLines } from '../../emulators/stripe/invoice-lines.ts';
import type { viewInvoice } from '../../emulators/stripe/invoice-view.ts';
import type { viewPortalSession } from '../../emulators/stripe/portal.ts';
import type { viewPlan, viewPrice } from '../../emulators/stripe/price-view.ts';
import type { viewProduct } from '../../emulators/stripe/products.ts';
import type { viewSubscription } from '../../emulators/stripe/subscription-view.ts';

/** An object as it is on the wire: the client makes its decimals out of texts. */
type Wire<T> = T extends string
  ? T
  : T extends Stripe.Decimal
    ? string
    : T extends readonly (infer Item)[]
      ? Wire<Item>[]
      : T extends object
        ? { [Key in keyof T]: Wire<T[Key]> }
        : T;

type View<Function extends (...parameters: never[]) => unknown> = ReturnType<Function>;
type SubscriptionView = View<typeof viewSubscription>;
type InvoiceView = View<typeof viewInvoice>;
type LineView = View<typeof viewLines>[number];
type SessionView = View<typeof viewCheckoutSession>;

describe('every object has all the fields that the client’s types require, of their types, and no others', () => {
  test('customer', () => {
    expectTypeOf<View<typeof viewCustomer>>().toExtend<Wire<Stripe.Customer>>();
    expectTypeOf<Exclude<keyof View<typeof viewCustomer>, keyof Stripe.Customer>>().toBeNever();
  });
  test('product', () => {
    expectTypeOf<View<typeof viewProduct>>().toExtend<Wire<Stripe.Product>>();
    expectTypeOf<Exclude<keyof View<typeof viewProduct>, keyof Stripe.Product>>().toBeNever();
  });
  test('price', () => {
    expectTypeOf<View<typeof viewPrice>>().toExtend<Wire<Stripe.Price>>();
    expectTypeOf<Exclude<keyof View<typeof viewPrice>, keyof Stripe.Price>>().toBeNever();
  });
  test('plan', () => {
    expectTypeOf<View<typeof viewPlan>>().toExtend<Wire<Stripe.Plan>>();
    expectTypeOf<Exclude<keyof View<typeof viewPlan>, keyof Stripe.Plan>>().toBeNever();
  });
  test('subscription and its items', () => {
    type ItemView = SubscriptionView['items']['data'][number];
    expectTypeOf<SubscriptionView>().toExtend<Wire<Stripe.Subscription>>();
    expectTypeOf<Exclude<keyof SubscriptionView, keyof Stripe.Subscription>>().toBeNever();
    expectTypeOf<Exclude<keyof ItemView, keyof Stripe.SubscriptionItem>>().toBeNever();
  });
  test('invoice and its lines', () => {
    expectTypeOf<InvoiceView>().toExtend<Wire<Stripe.Invoice>>();
    expectTypeOf<Exclude<keyof InvoiceView, keyof Stripe.Invoice>>().toBeNever();
    expectTypeOf<Exclude<keyof LineView, keyof Stripe.InvoiceLineItem>>().toBeNever();
  });
  test('invoice item', () => {
    expectTypeOf<View<typeof viewInvoiceItem>>().toExtend<Wire<Stripe.InvoiceItem>>();
    expectTypeOf<Exclude<keyof View<typeof viewInvoiceItem>, keyof Stripe.InvoiceItem>>().toBeNever();
  });
  test('checkout session and its line items', () => {
    expectTypeOf<SessionView>().toExtend<Wire<Stripe.Checkout.Session>>();
    expectTypeOf<Exclude<keyof SessionView, keyof Stripe.Checkout.Session>>().toBeNever();
    expectTypeOf<View<typeof viewCheckoutLines>>().toExtend<Wire<Stripe.ApiList<Stripe.LineItem>>>();
  });
  test('billing portal session', () => {
    expectTypeOf<View<typeof viewPortalSession>>().toExtend<Wire<Stripe.BillingPortal.Session>>();
    expectTypeOf<Exclude<keyof View<typeof viewPortalSession>, keyof Stripe.BillingPortal.Session>>().toBeNever();
  });
  test('event', () => {
    type Envelope = Omit<Stripe.CustomerCreatedEvent, 'data' | 'type'>;
    expectTypeOf<View<typeof viewEvent>>().toExtend<Envelope>();
    expectTypeOf<Exclude<keyof View<typeof viewEvent>, keyof Stripe.CustomerCreatedEvent>>().toBeNever();
  });
});
