import { type Clock, makeClock } from '../../shared/base/clock.ts';
import { makeLog } from '../../shared/base/log.ts';
import { perMinute, Rate, type Tokens } from '../../shared/base/rate.ts';
import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { Payments } from '../../shared/billing/payments.ts';
import { Subscriptions } from '../../shared/billing/subscriptions.ts';
import { type Config, readStripeSecret } from '../../shared/config.ts';
import { DataKeyCache } from '../../shared/crypto/data-key-cache.ts';
import { KmsInventory } from '../../shared/kms/inventory.ts';
import { Kms } from '../../shared/kms/kms.ts';
import { KmsOperations } from '../../shared/kms/kms-operations.ts';
import { loadKms } from '../../shared/kms/load-kms.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';

/** A fifth of the project's quota of 60,000 cryptographic operations a minute, so that the service has the rest. */
const UNWRAPS_PER_MINUTE = 12_000;
export const UNWRAPS: Tokens = {
  what: 'data keys that `check-store` unwraps',
  owner: 'process',
  limit: `${UNWRAPS_PER_MINUTE.toLocaleString('en-US')} a minute`,
};

export interface CheckServices {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: Config;
  readonly dataKeys: DataKeyCache | undefined;
  readonly payments: Payments;
  readonly subscriptions: Subscriptions;
  readonly inventory: KmsInventory;
  /** Limits how often data keys are unwrapped. */
  readonly unwraps: Rate<'all'>;
}

/**
 * Opens the store, the KMS and Stripe for the checks. Throws an `Error` if billing is configured without Stripe's
 * secret key.
 */
export function openCheckServices(
  config: Config,
  environment: NodeJS.ProcessEnv,
  kmsReadsPerMinute?: number,
): CheckServices {
  const { billing, wrappedRoot } = config;
  const store = openStore(config);
  const load = () => loadKms(config);
  const kms = new Kms(config.keyRing, load);
  const secretKey = billing === undefined ? '' : readStripeSecret(environment, 'STRIPE_SECRET_KEY');
  const payments = new Payments(billing, () => loadStripe(secretKey, billing?.emulatorHost));
  const clock = makeClock();
  return {
    store,
    config,
    clock,
    inventory: new KmsInventory(load, kmsReadsPerMinute),
    unwraps: new Rate(UNWRAPS, perMinute(UNWRAPS_PER_MINUTE)),
    dataKeys: wrappedRoot === undefined ? undefined : new DataKeyCache(kms, new KmsOperations(undefined), wrappedRoot),
    payments,
    subscriptions: new Subscriptions(store, payments, makeLog(), clock),
  };
}
