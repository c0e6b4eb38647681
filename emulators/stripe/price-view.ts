import type { PriceRecord } from './records.ts';

/** The price object. */
export function viewPrice(price: PriceRecord) {
  const { recurring, unit_amount_decimal, ...rest } = price;
  return {
    ...rest,
    object: 'price' as const,
    billing_scheme: 'per_unit',
    custom_unit_amount: null,
    livemode: false,
    recurring: recurring
      ? { interval: 'month', interval_count: 1, meter: null, trial_period_days: null, usage_type: 'licensed' }
      : null,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: recurring ? 'recurring' : 'one_time',
    unit_amount: wholeAmount(unit_amount_decimal),
    unit_amount_decimal,
  };
}

/** The plan object that a subscription item shows beside its price. */
export function viewPlan(price: PriceRecord) {
  return {
    id: price.id,
    object: 'plan' as const,
    active: price.active,
    amount: wholeAmount(price.unit_amount_decimal),
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: 'per_unit',
    created: price.created,
    currency: price.currency,
    interval: 'month',
    interval_count: 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
}

function wholeAmount(decimal: string): number | null {
  const amount = Number(decimal);
  return Number.isInteger(amount) ? amount : null;
}
