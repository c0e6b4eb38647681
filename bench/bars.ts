/** What is asked of a point, relative to the floor at it. What is absent is not asked. */
export interface Bar {
  /** The least throughput, a share of the floor's. */
  readonly throughput?: number;
  /** The most processor time for an operation, as a multiple of the floor's. */
  readonly cpu?: number;
  /** The highest median latency, as a multiple of the floor's. */
  readonly p50?: number;
}

/** A point of the benchmark. */
export interface Point {
  readonly operation: string;
  readonly tier: string;
  readonly bytes: number;
  readonly connections: number;
}

const TWO = ['encrypt', 'decrypt'];

const BARS: readonly (Pick<Point, 'bytes' | 'connections'> & { operations: readonly string[]; bar: Bar })[] = [
  { bytes: 1_024, connections: 1, operations: TWO, bar: { p50: 1.15 } },
  { bytes: 65_536, connections: 32, operations: TWO, bar: { throughput: 0.85, cpu: 1.35 } },
];

/** What is asked of a point: only of `wrapped` keys, as the KMS emulator shares the processors with what is measured. */
export function barOf({ operation, tier, bytes, connections }: Point): Bar {
  const asked = BARS.find((one) => one.bytes === bytes && one.connections === connections);
  return tier === 'wrapped' && asked?.operations.includes(operation) ? asked.bar : {};
}

/** Whether anything is asked of a point. */
export function hasBar(point: Point): boolean {
  return Object.keys(barOf(point)).length > 0;
}
