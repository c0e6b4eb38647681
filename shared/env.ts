import { Firestore } from '@google-cloud/firestore';
import type { KeyManagementServiceClient } from '@google-cloud/kms';
import type Stripe from 'stripe';
import { AuditLog } from './audit/audit-log.ts';
import { Policy } from './auth/policy.ts';
import { RateLimit } from './auth/rate-limit.ts';
import { Secrets } from './auth/secrets.ts';
import { Sessions } from './auth/session.ts';
import { type Clock, makeClock } from './base/clock.ts';
import { Gate } from './base/gate.ts';
import { type Log, makeLog } from './base/log.ts';
import { Trips } from './base/trips.ts';
import { Payments } from './billing/payments.ts';
import { Standings } from './billing/standings.ts';
import { type BillingConfig, type Config, DEADLINES_MS } from './config.ts';
import { DataKeys } from './crypto/data-keys.ts';
import { Kms } from './crypto/kms.ts';
import type { LocalHooks } from './local.ts';
import { GroupCommit } from './metering/group-commit.ts';
import { Store } from './store/store.ts';

/** All that a request needs of the process: made once, passed as an argument. */
export interface Env {
  readonly config: Config;
  readonly clock: Clock;
  readonly trips: Trips;
  readonly log: Log;
  readonly store: Store;
  readonly audit: AuditLog;
  readonly commits: GroupCommit;
  readonly secrets: Secrets;
  readonly rateLimit: RateLimit;
  readonly policy: Policy;
  readonly kms: Kms;
  /** Present where a wrapped root is configured. */
  readonly dataKeys: DataKeys | undefined;
  /** Present where an identity provider is configured. */
  readonly sessions: Sessions | undefined;
  /** Present where billing is configured. */
  readonly payments: Payments | undefined;
  readonly standings: Standings | undefined;
  /** Bounds changes to keys in flight: the KMS's write quota is small. */
  readonly keyChanges: Gate;
}

/** Changes to keys that one process makes side by side. */
const KEY_CHANGES_IN_FLIGHT = 64;

/** After an outage the clients come back within a second, not within gRPC's two minutes. */
const RECONNECT = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1_000 } as const;

/** Bytes that the KMS may send ahead: with Node's 64 KiB to a connection, large answers would wait for each other. */
const KMS_WINDOW = 1 << 20;

/** Makes all that the process needs, and what the local stack may change of it. Heavy clients are loaded at their first use. */
export function makeEnv(config: Config): { env: Env; hooks: LocalHooks } {
  const clock = makeClock();
  const hooks: LocalHooks = { clock, auditRowsDown: false };
  const trips = new Trips();
  const store = new Store(new Firestore({ projectId: config.project, ...RECONNECT }), trips);
  const audit = new AuditLog(() => !hooks.auditRowsDown);
  const kms = new Kms(config.keyRing, trips, () => loadKms(config));
  const { identity, billing, wrappedRoot } = config;
  const payments = billing && new Payments(billing, () => loadStripe(billing));
  const env: Env = {
    config,
    clock,
    trips,
    log: makeLog(),
    store,
    audit,
    commits: new GroupCommit(store, audit),
    secrets: new Secrets(),
    rateLimit: new RateLimit(config.rateLimited),
    policy: new Policy(config.policyDecisionUrl, trips),
    kms,
    dataKeys: wrappedRoot === undefined ? undefined : new DataKeys(kms, wrappedRoot),
    sessions: identity && new Sessions(identity, clock),
    payments,
    standings: payments && new Standings(store, payments),
    keyChanges: new Gate(KEY_CHANGES_IN_FLIGHT),
  };
  return { env, hooks };
}

async function loadKms(config: Config): Promise<KeyManagementServiceClient> {
  const { KeyManagementServiceClient } = await import('@google-cloud/kms');
  const common = { projectId: config.project, ...RECONNECT, 'grpc-node.flow_control_window': KMS_WINDOW };
  if (config.kmsEmulatorHost === undefined) return new KeyManagementServiceClient(common);
  const { credentials } = await import('@grpc/grpc-js');
  const [apiEndpoint, port] = splitAddress(config.kmsEmulatorHost);
  return new KeyManagementServiceClient({
    ...common,
    apiEndpoint,
    port,
    sslCreds: credentials.createInsecure(),
    // Told, the client does not ask a metadata server that is not there.
    universeDomain: 'googleapis.com',
  });
}

async function loadStripe(billing: BillingConfig): Promise<Stripe> {
  const { default: Stripe } = await import('stripe');
  const common = { timeout: DEADLINES_MS.stripe, telemetry: false } as const;
  if (billing.emulatorHost === undefined) return new Stripe(billing.secretKey, { ...common, maxNetworkRetries: 1 });
  const [host, port] = splitAddress(billing.emulatorHost);
  return new Stripe(billing.secretKey, { ...common, maxNetworkRetries: 0, protocol: 'http', host, port });
}

function splitAddress(address: string): [string, number] {
  const [host = '', port] = address.split(':');
  return [host, Number(port)];
}
