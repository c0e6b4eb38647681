import { FUNCTION_NAMES, FUNCTIONS } from '../functions.ts';
import { rampMinutes } from './ramp.ts';

/** A limit that more load reaches. */
export interface Limit {
  readonly what: string;
  /** What a fully used deployment of today needs. */
  readonly needed: number;
  readonly limit: number;
  readonly unit: string;
  readonly source: string;
  readonly beyond: string;
}

/** Operations per second of one instance of `crypto`, as docs/performance.md assumes. */
const PER_INSTANCE = 500;
const INSTANCES = FUNCTIONS.crypto.instances[1];
/** Operations per second of all instances. */
export const CAPACITY = INSTANCES * PER_INSTANCE;

/** Returns the sum of the shares of all instances. */
function shares(of: 'kmsWritesPerMinute' | 'kmsOperationsPerSecond'): number {
  return FUNCTION_NAMES.reduce((sum, name) => sum + (FUNCTIONS[name][of] ?? 0) * FUNCTIONS[name].instances[1], 0);
}

/** How many tenants a run of `close-month` handles at a time, and how long a tenant takes: three calls to Stripe. */
const CLOSED_AT_ONCE = 16;
const CLOSE_TENANT_S = 1;
const CLOSE_RUN_S = 28 * 60;

/** The limits, the one that is reached first at the top. */
export const LIMITS: readonly Limit[] = [
  {
    what: 'operations with `hsm` keys in the KMS',
    needed: shares('kmsOperationsPerSecond'),
    limit: 500,
    unit: 'a second',
    source: '[KMS quotas](operate.md#the-quotas-of-the-kms)',
    beyond: 'ask Google; then [KMS projects](#keys-in-several-kms-projects)',
  },
  {
    what: 'changes in the KMS (new keys, rotations, destructions)',
    needed: shares('kmsWritesPerMinute'),
    limit: 100,
    unit: 'a minute',
    source: '[KMS quotas](operate.md#the-quotas-of-the-kms)',
    beyond: 'ask Google; then [KMS projects](#keys-in-several-kms-projects)',
  },
  {
    what: 'audit events of one tenant, if it uses the whole deployment',
    needed: CAPACITY,
    limit: 8 * 500,
    unit: 'a second',
    source: '[Firestore limits](performance.md#limits): eight shards',
    beyond: 'more shards: a stored number for each tenant, read with the API key',
  },
  {
    what: 'instances of `crypto`',
    needed: INSTANCES,
    limit: 100,
    unit: 'instances',
    source: "Cloud Run's default for a service",
    beyond: 'ask Google for more',
  },
  {
    what: 'calls of the gateway',
    needed: CAPACITY,
    limit: 100_000,
    unit: 'a second',
    source: "API Gateway's quota of 10,000,000 in 100 seconds",
    beyond: '[several databases](#tenants-in-several-databases), each with its own project and gateway',
  },
  {
    what: 'tenants that one run of `close-month` closes',
    needed: 1_000,
    limit: (CLOSED_AT_ONCE / CLOSE_TENANT_S) * CLOSE_RUN_S,
    unit: 'tenants',
    source: 'a run of 28 minutes, 16 tenants at a time, one second for each (estimated)',
    beyond: 'later runs of the same day close the rest; then a run for each part of the tenants',
  },
].toSorted((one, other) => one.limit / one.needed - other.limit / other.needed);

export const FACTORS = [1, 10, 100, 1_000] as const;

/** Returns how long the traffic of a database must grow until it reaches each multiple of today's capacity. */
export function ramps(): readonly (readonly [factor: number, minutes: number])[] {
  return FACTORS.map((factor) => [factor, rampMinutes(2 * CAPACITY * factor)] as const);
}
