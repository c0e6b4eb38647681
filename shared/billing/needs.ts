import type { Clock } from '../base/clock.ts';
import type { Store } from '../store/store.ts';
import type { Payments } from './payments.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface BillingNeeds {
  readonly store: Store;
  readonly clock: Clock;
  readonly payments: Payments;
  readonly subscriptions: Subscriptions;
}
