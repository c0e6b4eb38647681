import type { Month } from '../../shared/base/month.ts';
import { checkClaims } from './claims.ts';
import { checkCryptoKeys } from './crypto-keys.ts';
import { checkInvoices } from './invoices.ts';
import { checkKeys } from './keys.ts';
import { checkObjects } from './objects.ts';
import { checkOperations } from './operations.ts';
import type { Part } from './part.ts';
import type { CheckServices } from './services.ts';
import { checkSubscriptions } from './subscriptions.ts';

export interface CheckOptions {
  /** The first month whose operations and invoices are checked. */
  readonly since: Month;
  /** Whether to store what the KMS and Stripe know and the store lacks. */
  readonly adopt: boolean;
}

/**
 * Checks the store against itself, the KMS and, if billing is configured, Stripe. Yields the result of each part. The
 * service may run during the check: an object that changes meanwhile is checked again or skipped.
 */
export async function* checkStore(services: CheckServices, { since, adopt }: CheckOptions): AsyncGenerator<Part> {
  yield await checkKeys(services, adopt);
  yield await checkCryptoKeys(services);
  yield await checkObjects(services);
  yield await checkClaims(services);
  yield await checkOperations(services, since);
  if (services.config.billing === undefined) return;
  yield await checkSubscriptions(services, since, adopt);
  yield await checkInvoices(services, since);
}
