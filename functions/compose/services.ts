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
import { type Config, readStripeSecret, type STRIPE_SECRETS } from '../../shared/config.ts';
import { DataKeys } from '../../shared/crypto/data-keys.ts';
import { Readiness } from '../../shared/http/readiness.ts';
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
import type { Services } from '../../shared/services.ts';
import { EarlyReads } from '../../shared/store/early-reads.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { CREATIONS } from '../../shared/tenancy/slots.ts';
import type { Process } from './process.ts';

/** Dependencies that only some functions need: slow-loading clients, the OpenAPI document, and secrets. */
export interface Extras {
  readonly loadKms?: typeof loadKms;
  readonly loadStripe?: typeof loadStripe;
  readonly describe?: (config: Config) => Promise<Record<string, unknown>>;
  readonly secrets?: readonly (typeof STRIPE_SECRETS)[number][];
}

/** Makes the services. Clients connect at first use. Throws an `Error` if billing is configured without its secrets. */
export function openServices(
  own: Process,
  { loadKms = absent, loadStripe = absent, describe = absent, secrets = [] }: Extras,
): Services {
  const { config, clock, log, metrics } = own;
  const { identity, billing, sealing, wrappedRoot } = config;
  const secretOf = (name: (typeof STRIPE_SECRETS)[number]) =>
    billing !== undefined && secrets.includes(name) ? readStripeSecret(process.env, name) : undefined;
  const secretKey = secretOf('STRIPE_SECRET_KEY') ?? '';
  const store = openStore(config);
  const argon2id = new Secrets();
  const policy = new Policy(config.policyDecisionUrl);
  const kms = new Kms(config.keyRing, () => loadKms(config));
  const kmsOperations = new KmsOperations(config.kmsOperationsPerSecond);
  const standing = billing === undefined ? ALWAYS_GOOD : STORED_STANDING;
  const commits = new GroupCommit(store, clock, metrics);
  const payments = new Payments(billing, () => loadStripe(secretKey, billing?.emulatorHost));
  const subscriptions = new Subscriptions(store, payments, log, clock);
  metrics.watch({
    reads: () => store.waitingReads,
    decisions: () => policy.waiting,
    commits: () => commits.waiting,
    secretChecks: () => argon2id.checksInFlight,
  });
  let document: Promise<Record<string, unknown>> | undefined;
  return {
    ...own,
    store,
    earlyReads: new EarlyReads(store),
    secrets: argon2id,
    accessTokens: identity === undefined ? NO_SESSIONS : new Sessions(identity, clock),
    idTokens: new IdTokens(config, clock, log),
    rateLimit: new RateLimit(),
    lastUse: new LastUse(store, clock, log),
    policy,
    reports: new ReportTurns(),
    kms,
    kmsOperations,
    kmsWrites: new KmsWrites(config.kmsWritesPerMinute),
    dataKeys: wrappedRoot === undefined ? undefined : new DataKeys(kms, kmsOperations, wrappedRoot),
    keyChanges: new KeyChanges(),
    settle,
    startStopwatch,
    creations: new FairQueue(CREATIONS),
    freeKeysAtMost: billing === undefined ? Number.POSITIVE_INFINITY : 1,
    standing,
    commits,
    payments,
    subscriptions,
    webhooks: new Webhooks(secretOf('STRIPE_WEBHOOK_SECRET')),
    biller: billing === undefined ? NO_BILLER : makeBiller({ store, log, payments, subscriptions }),
    signer: sealing && {
      origin: sealing.origin,
      key: new SigningKey(sealing.signingKey, () => loadKms(config)),
    },
    readiness: new Readiness({ store, kms, policy }, log),
    openApi: () => {
      document ??= describe(config);
      return document;
    },
  };
}

function absent(): never {
  throw new Error('this function was started without this client');
}
