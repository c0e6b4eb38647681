import type { EarlyDecisions } from './auth/early-decisions.ts';
import type { LastUse } from './auth/last-use.ts';
import type { Policy } from './auth/policy.ts';
import type { RateLimit } from './auth/rate-limit.ts';
import type { Secrets } from './auth/secrets.ts';
import type { AccessTokens } from './auth/session.ts';
import type { Clock } from './base/clock.ts';
import type { FairQueue } from './base/fair-queue.ts';
import type { Log } from './base/log.ts';
import type { Biller } from './billing/biller.ts';
import type { Payments } from './billing/payments.ts';
import type { Subscriptions } from './billing/subscriptions.ts';
import type { Webhooks } from './billing/webhooks.ts';
import type { Config } from './config.ts';
import type { DataKeys } from './crypto/data-keys.ts';
import type { Readiness } from './http/readiness.ts';
import type { ReportTurns } from './http/report-turns.ts';
import type { Kms } from './kms/kms.ts';
import type { KmsOperations } from './kms/kms-operations.ts';
import type { KmsWrites } from './kms/kms-writes.ts';
import type { KeyChanges } from './lifecycle/key-changes.ts';
import type { GroupCommit } from './metering/group-commit.ts';
import type { Meters } from './metering/meter.ts';
import type { Standing } from './metering/standing.ts';
import type { Signer } from './sealing/log-key.ts';
import type { Store } from './store/store.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** What routes and jobs depend on. A function names the ones it uses: `Pick<Services, 'store' | 'clock'>`. */
export interface Services {
  /** The function's name. */
  readonly name: string;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The documents in Firestore. */
  readonly store: Store;
  /** Hashes and verifies the secrets of API keys. */
  readonly secrets: Pick<Secrets, 'present' | 'verify' | 'hash'>;
  /** Verifies the access tokens of the identity provider. */
  readonly accessTokens: AccessTokens;
  /** Limits the requests of an API key or person per second. */
  readonly rateLimit: Pick<RateLimit, 'take'>;
  /** Notes when an API key was last used. */
  readonly lastUse: LastUse;
  /** Decides on actions. */
  readonly policy: Pick<Policy, 'allows' | 'ping'>;
  /** Asks for decisions before everything they depend on is read. */
  readonly earlyDecisions: EarlyDecisions;
  /** Lets each tenant read one list or report at a time. */
  readonly reports: ReportTurns;
  /** The key ring in Cloud KMS. */
  readonly kms: Kms;
  /** Limits encryptions and decryptions in the KMS per second. */
  readonly kmsOperations: KmsOperations;
  /** Limits changes in the KMS per minute. */
  readonly kmsWrites: KmsWrites;
  /** The data keys under the wrapped root; `undefined` where none is configured. */
  readonly dataKeys: DataKeys | undefined;
  /** Queues changes of keys. */
  readonly keyChanges: KeyChanges;
  /** Queues a tenant's creations, one at a time. */
  readonly creations: FairQueue;
  /** The maximum of live `free` keys per tenant: one where billing is configured. */
  readonly freeKeysAtMost: number;
  /** Tells whether a tenant's billing is in good standing. */
  readonly standing: Standing;
  /** Reads what limits the use of a key: operations of the month, and billing. */
  readonly meters: Meters;
  /** Counts operations and writes their audit rows, many in one commit. */
  readonly commits: GroupCommit;
  /** The payment provider. */
  readonly payments: Payments;
  readonly subscriptions: Subscriptions;
  readonly webhooks: Webhooks;
  /** Bills closed months. */
  readonly biller: Biller;
  /** Signs the audit logs; `undefined` where they are not sealed. */
  readonly signer: Signer | undefined;
  /** Probes Firestore, the KMS and the policy decision point. */
  readonly readiness: Pick<Readiness, 'probe'>;
  /** The OpenAPI document of every route of the deployment. */
  readonly openApi: () => Promise<Record<string, unknown>>;
}

/** What proves who the caller is. */
export type IdentityServices = Pick<Services, 'store' | 'secrets' | 'accessTokens' | 'rateLimit' | 'lastUse'>;

/** What encrypts and decrypts under a key. */
export type CipherServices = Pick<Services, 'store' | 'clock' | 'kms' | 'kmsOperations' | 'dataKeys'>;

/** What creates and changes keys. */
export type KeyServices = Pick<
  Services,
  'store' | 'clock' | 'log' | 'kms' | 'kmsWrites' | 'dataKeys' | 'keyChanges' | 'creations' | 'freeKeysAtMost'
>;

/** What destroys keys. */
export type DestructionServices = Pick<Services, 'store' | 'clock' | 'log' | 'kms' | 'kmsWrites'>;
