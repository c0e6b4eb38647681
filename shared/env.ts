import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { LRUCache } from 'lru-cache';
import type Stripe from 'stripe';
import { AuditLog } from './audit/audit-log.ts';
import { Policy } from './auth/policy.ts';
import { RateLimit } from './auth/rate-limit.ts';
import { Secrets } from './auth/secrets.ts';
import { Sessions } from './auth/session.ts';
import { type Clock, makeClock } from './base/clock.ts';
import { FairQueue, type Limits } from './base/fair-queue.ts';
import { Gate } from './base/gate.ts';
import type { KeyId, TenantId } from './base/ids.ts';
import { type Log, makeLog } from './base/log.ts';
import { Trips } from './base/trips.ts';
import { Payments } from './billing/payments.ts';
import { Standings } from './billing/standings.ts';
import { makeChannelOptions } from './channel.ts';
import { type BillingConfig, type Config, DEADLINES_MS } from './config.ts';
import { DataKeys } from './crypto/data-keys.ts';
import { Kms } from './crypto/kms.ts';
import { KmsWrites } from './crypto/kms-writes.ts';
import { KeyChanges } from './keys/changes.ts';
import type { LocalHooks } from './local.ts';
import { GroupCommit } from './metering/group-commit.ts';
import { Readiness } from './readiness.ts';
import { PromptFirestore } from './store/prompt-firestore.ts';
import { Store } from './store/store.ts';
import { type Metrics, NO_METRICS } from './telemetry/metrics.ts';

/** All that a request needs of the process: made once, passed as an argument. */
export interface Env {
  readonly config: Config;
  readonly clock: Clock;
  readonly trips: Trips;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly audit: AuditLog;
  readonly commits: GroupCommit;
  readonly secrets: Secrets;
  readonly rateLimit: RateLimit;
  readonly policy: Policy;
  /** The tenants of paid keys, which never change: what is a tenant's can be asked for beside its key, not after it. */
  readonly owners: LRUCache<KeyId, TenantId>;
  readonly kms: Kms;
  readonly kmsWrites: KmsWrites;
  readonly readiness: Readiness;
  /** Present where a wrapped root is configured. */
  readonly dataKeys: DataKeys | undefined;
  /** Present where an identity provider is configured. */
  readonly sessions: Sessions | undefined;
  /** Present where billing is configured. */
  readonly payments: Payments | undefined;
  readonly standings: Standings | undefined;
  /** Has readers of lists, usage and statements, which may be of thousands of lines, take turns. */
  readonly reports: FairQueue;
  readonly keyChanges: KeyChanges;
  /** Has a tenant's creations take turns: each is decided on the counts that the one before it wrote. */
  readonly creations: FairQueue;
  readonly webhooks: Gate;
  /** Bounds webhooks whose bodies are being read, by the address that they come from. */
  readonly webhookBodies: FairQueue;
}

/** Of one tenant one at a time, as they would only contend; the longest wait is that for Firestore. */
const CREATIONS = { running: 64, runningPerOwner: 1, waitingPerOwner: 256, waitMs: DEADLINES_MS.firestore };

/** Verified ones. The payment provider sends again what is refused. */
const WEBHOOKS_IN_FLIGHT = 32;

/** A report of ten thousand lines takes some 30 MB while it is read. As many may wait as an API key may have in flight. */
const REPORTS = { running: 8, runningPerOwner: 2, waitingPerOwner: 256, waitMs: DEADLINES_MS.firestore };
/**
 * Their bodies of up to 1 MiB are read before anything is proved: anybody's, of whom an address is all that is known. One
 * address waits for its own, so that however slowly those come, another's are read.
 */
const WEBHOOK_BODIES: Limits = {
  running: 32,
  runningPerOwner: 8,
  waitingPerOwner: 32,
  waitMs: DEADLINES_MS.body,
};

/** Two ids each. */
const OWNERS_KEPT = 10_000;

/** How clients are loaded, at their first use, that are heavy and not every function needs. Without one its use throws. */
export interface Loaders {
  readonly kms?: (config: Config) => Promise<KeyManagementServiceClient>;
  readonly stripe?: (billing: BillingConfig) => Promise<Stripe>;
}

/**
 * Reads that fail are made again after a tenth of a second, not after two. A query is not: it might have answered in
 * part, and the client of Firestore knows by itself how to go on.
 */
const FIRESTORE_RETRIES = {
  gaxServerStreamingRetries: true,
  clientConfig: {
    interfaces: {
      'google.firestore.v1.Firestore': {
        retry_codes: { none: [] },
        methods: { RunQuery: { retry_codes_name: 'none' } },
      },
    },
  },
} as const;

/** Makes all that the process needs, and what the local stack may change of it. */
export function makeEnv(config: Config, load: Loaders, metrics = NO_METRICS): { env: Env; hooks: LocalHooks } {
  const clock = makeClock();
  const hooks: LocalHooks = { clock, auditRowsDown: false };
  const trips = new Trips();
  const log = makeLog();
  const store = new Store(
    new PromptFirestore({
      projectId: config.project,
      ...FIRESTORE_RETRIES,
      ...makeChannelOptions(DEADLINES_MS.firestore),
    }),
    trips,
  );
  const audit = new AuditLog(() => !hooks.auditRowsDown);
  const kms = new Kms(config.keyRing, trips, () => (load.kms ?? refuse)(config));
  const { identity, billing, wrappedRoot } = config;
  const payments = billing && new Payments(billing, () => (load.stripe ?? refuse)(billing));
  const policy = new Policy(config.policyDecisionUrl, trips);
  const env: Env = {
    config,
    clock,
    trips,
    log,
    metrics,
    store,
    audit,
    commits: new GroupCommit(store, audit, metrics),
    secrets: new Secrets(),
    rateLimit: new RateLimit(config.rateLimited),
    policy,
    owners: new LRUCache({ max: OWNERS_KEPT }),
    kms,
    kmsWrites: new KmsWrites(config.kmsWritesPerMinute),
    readiness: new Readiness({ store, kms, policy }, log),
    dataKeys: wrappedRoot === undefined ? undefined : new DataKeys(kms, wrappedRoot),
    sessions: identity && new Sessions(identity, clock),
    payments,
    standings: payments && new Standings(store, payments, log),
    keyChanges: new KeyChanges(),
    creations: new FairQueue(CREATIONS),
    reports: new FairQueue(REPORTS),
    webhooks: new Gate(WEBHOOKS_IN_FLIGHT),
    webhookBodies: new FairQueue(WEBHOOK_BODIES),
  };
  metrics.watch({
    commits: () => env.commits.waiting,
    decisions: () => env.policy.waiting,
    reads: () => env.store.waitingReads,
    secretChecks: () => env.secrets.checksInFlight,
  });
  return { env, hooks };
}

async function refuse(): Promise<never> {
  throw new Error('this function was made without that client');
}
