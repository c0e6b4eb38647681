import { IdTokens } from '../../shared/auth/id-tokens.ts';
import { LastUse } from '../../shared/auth/last-use.ts';
import { Policy } from '../../shared/auth/policy.ts';
import { RateLimit } from '../../shared/auth/rate-limit.ts';
import { Secrets } from '../../shared/auth/secrets.ts';
import { NO_SESSIONS, Sessions } from '../../shared/auth/session.ts';
import { startStopwatch } from '../../shared/base/clock.ts';
import { FairQueue } from '../../shared/base/fair-queue.ts';
import { makeBiller, NO_BILLER } from '../../shared/billing/biller.ts';
import type { loadStripe } from '../../shared/billing/load-stripe.ts';
import { Payments } from '../../shared/billing/payments.ts';
import { STORED_STANDING } from '../../shared/billing/standing.ts';
import { Subscriptions } from '../../shared/billing/subscriptions.ts';
import { Webhooks } from '../../shared/billing/webhooks.ts';
import { type Config, readStripeSecret } from '../../shared/config.ts';
import { DataKeyCache } from '../../shared/crypto/data-key-cache.ts';
import { ReportTurns } from '../../shared/http/report-turns.ts';
import { Kms } from '../../shared/kms/kms.ts';
import { KmsOperations } from '../../shared/kms/kms-operations.ts';
import { KmsWrites } from '../../shared/kms/kms-writes.ts';
import type { loadKms } from '../../shared/kms/load-kms.ts';
import { SigningKey } from '../../shared/kms/signing-key.ts';
import { KeyChanges } from '../../shared/lifecycle/key-changes.ts';
import { settle } from '../../shared/lifecycle/settle.ts';
import { GroupCommit } from '../../shared/metering/group-commit.ts';
import { ALWAYS_GOOD } from '../../shared/metering/standing.ts';
import { EarlyReads } from '../../shared/store/early-reads.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';
import { CREATIONS } from '../../shared/tenancy/slots.ts';
import type { Process } from './process.ts';

/*
 * The parts of the service, by the client that they need. Clients connect at first use. A function makes the parts that
 * its routes or its job need, so that only these clients are in its bundle.
 */

/** Makes the parts of every function with routes. */
export function openParts(own: Process) {
  const { config, clock, log, metrics } = own;
  const { identity, billing } = config;
  const store = openStore(config);
  const secrets = new Secrets();
  const policy = new Policy(config.policyDecisionUrl);
  const commits = new GroupCommit(store, clock, metrics);
  metrics.watch({
    reads: () => store.waitingReads,
    decisions: () => policy.waiting,
    commits: () => commits.waiting,
    secretChecks: () => secrets.checksInFlight,
  });
  return {
    ...own,
    store,
    startStopwatch,
    earlyReads: new EarlyReads(store),
    secrets,
    accessTokens: identity === undefined ? NO_SESSIONS : new Sessions(identity, clock),
    idTokens: new IdTokens(config, clock, log),
    rateLimit: new RateLimit(),
    lastUse: new LastUse(store, clock, log),
    policy,
    reports: new ReportTurns(),
    creations: new FairQueue(CREATIONS),
    freeKeysAtMost: billing === undefined ? Number.POSITIVE_INFINITY : 1,
    standing: billing === undefined ? ALWAYS_GOOD : STORED_STANDING,
    commits,
  };
}

/** Makes the parts that call the KMS for tenants' keys. */
export function openKms(config: Config, load: typeof loadKms) {
  const kms = new Kms(config.keyRing, () => load(config));
  const kmsOperations = new KmsOperations(config.kmsOperationsPerSecond);
  return {
    kms,
    kmsOperations,
    kmsWrites: new KmsWrites(config.kmsWritesPerMinute),
    dataKeys: config.wrappedRoot === undefined ? undefined : new DataKeyCache(kms, kmsOperations, config.wrappedRoot),
    keyChanges: new KeyChanges(),
    settle,
  };
}

/** Makes the key that signs audit logs. Returns `undefined` if they are not sealed. */
export function openSigner(config: Config, load: typeof loadKms) {
  const { sealing } = config;
  return sealing && { origin: sealing.origin, key: new SigningKey(sealing.signingKey, () => load(config)) };
}

/** Makes the parts that call Stripe. Throws an `Error` if billing is configured without Stripe's secret key. */
export function openPayments(
  { config, log, clock, store }: Process & { readonly store: Store },
  load: typeof loadStripe,
) {
  const { billing } = config;
  const secretKey = billing === undefined ? '' : readStripeSecret(process.env, 'STRIPE_SECRET_KEY');
  const payments = new Payments(billing, () => load(secretKey, billing?.emulatorHost));
  const subscriptions = new Subscriptions(store, payments, log, clock);
  const biller = billing === undefined ? NO_BILLER : makeBiller({ store, log, payments, subscriptions });
  return { payments, subscriptions, biller };
}

/** Makes the part that checks webhooks. Throws an `Error` if billing is configured without their secret. */
export function openWebhooks({ billing }: Config) {
  return new Webhooks(billing && readStripeSecret(process.env, 'STRIPE_WEBHOOK_SECRET'));
}
