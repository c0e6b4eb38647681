import type { IdTokens } from './auth/id-tokens.ts';
import type { LastUse } from './auth/last-use.ts';
import type { Policy } from './auth/policy.ts';
import type { RateLimit } from './auth/rate-limit.ts';
import type { Secrets } from './auth/secrets.ts';
import type { AccessTokens } from './auth/session.ts';
import type { Clock, startStopwatch } from './base/clock.ts';
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
import type { Standing } from './metering/standing.ts';
import type { Signer } from './sealing/log-key.ts';
import type { EarlyReads } from './store/early-reads.ts';
import type { Store } from './store/store.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** The dependencies of routes and jobs. A function declares the ones it uses: `Pick<Services, 'store' | 'clock'>`. */
export interface Services {
  readonly name: string;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly earlyReads: EarlyReads;
  readonly secrets: Pick<Secrets, 'present' | 'verify' | 'hash'>;
  readonly accessTokens: AccessTokens;
  readonly idTokens: Pick<IdTokens, 'verify' | 'remember'>;
  readonly rateLimit: Pick<RateLimit, 'take'>;
  /** Records when an API key was last used. */
  readonly lastUse: LastUse;
  readonly policy: Pick<Policy, 'allows' | 'ping'>;
  /** Limits each tenant to one list or report at a time. */
  readonly reports: ReportTurns;
  readonly kms: Kms;
  readonly kmsOperations: KmsOperations;
  readonly kmsWrites: KmsWrites;
  /** `undefined` if no wrapped root is configured. */
  readonly dataKeys: DataKeys | undefined;
  /** Queues changes of keys. */
  readonly keyChanges: KeyChanges;
  /** Waits half a second, until no operation relies on an older state of a key. */
  readonly settle: () => Promise<void>;
  readonly startStopwatch: typeof startStopwatch;
  /** Runs the creations of each tenant one at a time. */
  readonly creations: FairQueue;
  /** The maximum number of live `free` keys per tenant: one if billing is configured. */
  readonly freeKeysAtMost: number;
  /** Whether a tenant's billing is in good standing. */
  readonly standing: Standing;
  /** Counts operations and writes their audit rows, many in one commit. */
  readonly commits: GroupCommit;
  readonly payments: Payments;
  readonly subscriptions: Subscriptions;
  readonly webhooks: Webhooks;
  readonly biller: Biller;
  /** `undefined` if audit logs are not sealed. */
  readonly signer: Signer | undefined;
  readonly readiness: Pick<Readiness, 'probe'>;
  /** The OpenAPI document of the deployment's routes. */
  readonly openApi: () => Promise<Record<string, unknown>>;
}

export type CipherServices = Pick<
  Services,
  'store' | 'clock' | 'startStopwatch' | 'kms' | 'kmsOperations' | 'dataKeys'
>;

export type KeyServices = Pick<
  Services,
  | 'store'
  | 'clock'
  | 'log'
  | 'kms'
  | 'kmsWrites'
  | 'dataKeys'
  | 'keyChanges'
  | 'settle'
  | 'creations'
  | 'freeKeysAtMost'
>;

export type DestructionServices = Pick<Services, 'store' | 'clock' | 'log' | 'kms' | 'kmsWrites' | 'settle'>;
