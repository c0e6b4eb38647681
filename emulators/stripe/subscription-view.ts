import type { Account } from './account.ts';
import { viewList } from './pagination.ts';
import { viewPlan, viewPrice } from './price-view.ts';
import { loadPrice } from './prices.ts';
import type { SubscriptionRecord } from './records.ts';

/** The subscription object. */
export function viewSubscription(account: Account, subscription: SubscriptionRecord) {
  const { items, current_period, trial, billing_cycle_anchor_config, ...rest } = subscription;
  return {
    ...rest,
    object: 'subscription' as const,
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor_config:
      billing_cycle_anchor_config === null ? null : { ...billing_cycle_anchor_config, month: null },
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: subscription.cancel_at_period_end ? current_period.end : null,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      reason: subscription.canceled_at === null ? null : 'cancellation_requested',
    },
    collection_method: 'charge_automatically',
    currency: 'usd',
    customer_account: null,
    days_until_due: null,
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    discounts: [],
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: viewList(
      `/v1/subscription_items?subscription=${subscription.id}`,
      items.map((item) => viewSubscriptionItem(account, subscription, item)),
      false,
    ),
    livemode: false,
    managed_payments: null,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: subscription.created,
    test_clock: null,
    transfer_data: null,
    trial_end: trial?.end ?? null,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' } },
    trial_start: trial?.start ?? null,
  };
}

/** The subscription item object. */
function viewSubscriptionItem(
  account: Account,
  subscription: SubscriptionRecord,
  item: SubscriptionRecord['items'][number],
) {
  const price = loadPrice(account, item.price);
  return {
    id: item.id,
    object: 'subscription_item' as const,
    billing_thresholds: null,
    created: subscription.created,
    current_period_end: subscription.current_period.end,
    current_period_start: subscription.current_period.start,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: viewPlan(price),
    price: viewPrice(price),
    quantity: item.quantity,
    subscription: subscription.id,
    tax_rates: [],
  };
}
