/**
 * Limits for the service, relative to the baseline's result for the same load. A figure without a value has no limit.
 */
export interface Limits {
  /** The service's minimum throughput, as a share of the baseline's. */
  readonly throughput?: number;
  /** The service's maximum processor time per operation, as a multiple of the baseline's. */
  readonly cpu?: number;
  /** The service's maximum median latency, as a multiple of the baseline's. */
  readonly p50?: number;
}

export interface Point {
  readonly operation: string;
  readonly tier: string;
  readonly bytes: number;
  readonly connections: number;
}

const TWO = ['encrypt', 'decrypt'];

const LIMITS: readonly (Pick<Point, 'bytes' | 'connections'> & { operations: readonly string[]; limits: Limits })[] = [
  { bytes: 1_024, connections: 1, operations: TWO, limits: { p50: 1.15 } },
  { bytes: 65_536, connections: 32, operations: TWO, limits: { throughput: 0.85, cpu: 1.35 } },
];

/**
 * Returns the limits for a load. Only `wrapped` keys have limits: keys of other tiers use the KMS emulator, which
 * competes with the service for the processors.
 */
export function limitsOf({ operation, tier, bytes, connections }: Point): Limits {
  const limited = LIMITS.find((one) => one.bytes === bytes && one.connections === connections);
  return tier === 'wrapped' && limited?.operations.includes(operation) ? limited.limits : {};
}

export function hasLimit(point: Point): boolean {
  return Object.keys(limitsOf(point)).length > 0;
}
