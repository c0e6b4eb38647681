import { FUNCTION_NAMES, FUNCTIONS } from './functions.ts';

/** Returns a generator of numbers from 0 to 1. The same seed gives the same numbers, so a page can be generated again. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/**
 * Simulates tenants that are spread at random over parts, such as KMS projects. The tenant in place N sends 1/N of the
 * traffic of the first, so a few tenants send most of it. Returns the traffic of the busiest part, as a multiple of the
 * mean.
 */
export function busiestPart(parts: number, tenants: number): number {
  const random = randomFrom(7);
  const traffic = Array.from({ length: parts }, () => 0);
  let total = 0;
  for (let rank = 1; rank <= tenants; rank++) {
    const at = Math.floor(random() * parts);
    traffic[at] = (traffic[at] ?? 0) + 1 / rank;
    total += 1 / rank;
  }
  return Math.max(...traffic) / (total / parts);
}

/** What Firestore advises for a new collection: start with 500 writes a second, and add half every five minutes. */
const START = 500;
const GROWTH = 1.5;
const EVERY_MINUTES = 5;

/** Returns how many minutes of growth traffic needs to reach this many writes a second. */
export function rampMinutes(writesPerSecond: number): number {
  if (writesPerSecond <= START) return 0;
  return EVERY_MINUTES * Math.ceil(Math.log(writesPerSecond / START) / Math.log(GROWTH));
}

/** A limit that more load reaches. */
interface Limit {
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
const CAPACITY = INSTANCES * PER_INSTANCE;

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

const FACTORS = [1, 10, 100, 1_000] as const;

/** Returns how long the traffic of a database must grow until it reaches each multiple of today's capacity. */
function ramps(): readonly (readonly [factor: number, minutes: number])[] {
  return FACTORS.map((factor) => [factor, rampMinutes(2 * CAPACITY * factor)] as const);
}

/** Instances that share Google's quota in equal parts. */
interface Shares {
  readonly instances: number;
  /** The calls per second of one instance. It may make the calls of one second at once. */
  readonly perSecond: number;
  /** How long a call waits for its turn, before the instance refuses it. */
  readonly patienceMs: number;
}

/**
 * Simulates calls that arrive at random times at random instances. Returns the part of the calls that is refused.
 * Arithmetic is not enough here: the instances' shares add up to the load, but one instance gets more than its share
 * while another has some left.
 */
export function refusedPart(
  { instances, perSecond, patienceMs }: Shares,
  loadPerSecond: number,
  seconds = 120,
): number {
  const random = randomFrom(1);
  /** For each instance, the time in seconds at which its bucket would be full again. */
  const fullAt = Array.from({ length: instances }, () => 0);
  let [now, calls, refused] = [0, 0, 0];
  while (now < seconds) {
    now += -Math.log(1 - random()) / loadPerSecond;
    const at = Math.floor(random() * instances);
    // A call takes a part of the bucket. If the bucket is empty, the call waits until there is enough in it.
    const taken = Math.max(fullAt[at] ?? 0, now) + 1 / perSecond;
    const waitMs = Math.max(0, taken - now - 1) * 1_000;
    calls++;
    if (waitMs > patienceMs) refused++;
    else fullAt[at] = taken;
  }
  return refused / calls;
}

type Rows = readonly (readonly string[])[];

/** Returns a row for each limit: how far it is away, and what comes after it. */
export function limitRows(): Rows {
  return LIMITS.map(({ what, needed, limit, unit, source, beyond }) => [
    what,
    `${number(needed)} ${unit}`,
    `${number(limit)} ${unit}`,
    `${(limit / needed).toLocaleString('en-US', { maximumFractionDigits: 1 })} ×`,
    source,
    beyond,
  ]);
}

/** Returns a row for each multiple of today's load: the limits that break, and how long traffic must grow. */
export function factorRows(): Rows {
  const minutes = new Map(ramps());
  return FACTORS.map((factor) => {
    const broken = LIMITS.filter(({ needed, limit }) => needed * factor > limit).map(({ what }) => what);
    return [`${number(factor)} ×`, broken.join('; ') || 'nothing', `${minutes.get(factor)} minutes`];
  });
}

/** Returns a row for each load of the KMS shares of `crypto`, in percent of all shares together. */
export function shareRows(): Rows {
  const instances = FUNCTIONS.crypto.instances[1];
  const perSecond = FUNCTIONS.crypto.kmsOperationsPerSecond ?? 0;
  return [70, 80, 90, 95, 100, 110, 150].map((percent) => {
    const load = (instances * perSecond * percent) / 100;
    const cells = [instances, 10 * instances].map((count) =>
      part(refusedPart({ instances: count, perSecond, patienceMs: 250 }, (load * count) / instances)),
    );
    return [`${percent}%`, ...cells];
  });
}

/** Returns a row for each number of parts: the traffic of the busiest part. */
export function spreadRows(): Rows {
  return [2, 4, 8, 16, 64].map((parts) => [
    String(parts),
    ...[100, 10_000, 1_000_000].map((tenants) => `${busiestPart(parts, tenants).toFixed(1)} ×`),
  ]);
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function part(value: number): string {
  return value === 0 ? 'none' : `${(value * 100).toFixed(1)}%`;
}
