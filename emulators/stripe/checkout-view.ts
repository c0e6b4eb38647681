import type { Account } from './account.ts';
import { multiplyDecimals } from './money.ts';
import { viewList } from './pagination.ts';
import { viewPrice } from './price-view.ts';
import { loadPrice } from './prices.ts';
import type { CheckoutSessionRecord } from './records.ts';

/** The checkout session object. */
export function viewCheckoutSession(account: Account, session: CheckoutSessionRecord) {
  const { line_items, subscription_data, ...rest } = session;
  return {
    ...rest,
    object: 'checkout.session' as const,
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    // The period up to the first full invoice is free.
    amount_subtotal: 0,
    amount_total: 0,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    currency: 'usd',
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer_account: null,
    customer_creation: 'always',
    customer_details: null,
    discounts: [],
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    mode: 'subscription',
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'always',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: session.status === 'complete' ? 'no_payment_required' : 'unpaid',
    permissions: null,
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    submit_type: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: session.status === 'open' ? `${account.baseUrl}/c/pay/${session.id}` : null,
    wallet_options: null,
  };
}

/** The items that a session sells, as its own list shows them. */
export function viewCheckoutLines(account: Account, session: CheckoutSessionRecord) {
  const items = session.line_items.map((item) => {
    const price = loadPrice(account, item.price);
    const amount = multiplyDecimals(price.unit_amount_decimal, String(item.quantity));
    return {
      id: item.id,
      object: 'item' as const,
      adjustable_quantity: null,
      amount_discount: 0,
      amount_subtotal: amount,
      amount_tax: 0,
      amount_total: amount,
      currency: price.currency,
      description: price.nickname ?? 'Subscription',
      metadata: {},
      price: viewPrice(price),
      quantity: item.quantity,
    };
  });
  return viewList(`/v1/checkout/sessions/${session.id}/line_items`, items, false);
}
