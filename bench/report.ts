import type { Measured } from './load.ts';
import { alignColumns, median } from './table.ts';

/**
 * Limits for the service, relative to the baseline's result for the same load. A figure without a value has no limit.
 */
interface Limits {
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
function limitsOf({ operation, tier, bytes, connections }: Point): Limits {
  const limited = LIMITS.find((one) => one.bytes === bytes && one.connections === connections);
  return tier === 'wrapped' && limited?.operations.includes(operation) ? limited.limits : {};
}

export function hasLimit(point: Point): boolean {
  return Object.keys(limitsOf(point)).length > 0;
}

/** The results of a load on the service, and of the same load on the baseline just before. */
export interface Turn {
  readonly measured: Measured;
  readonly baseline: Measured;
}

/** A load and the results of its turns. The report shows the median of the turns. */
export interface Row extends Point {
  readonly turns: readonly Turn[];
}

const HEAD = [
  'operation',
  'tier',
  'size',
  'conn.',
  'ops/s',
  'of baseline',
  'limit',
  'CPU µs',
  '× baseline',
  'limit',
  'p50',
  '× baseline',
  'limit',
  'p95',
  'p99',
  'loop p99',
  'trips per operation',
];

/**
 * Returns a table with one row per load. It has the service's times in milliseconds, and ratios of the service to the
 * baseline, each beside its limit if it has one.
 */
export function showTable(rows: readonly Row[]): string {
  return alignColumns([HEAD, ...rows.map(cells)]);
}

export function showPeakMemory(rows: readonly Row[]): string {
  const turns = rows.flatMap((row) => row.turns);
  const peakMiB = (of: (turn: Turn) => Measured) => Math.max(...turns.map((turn) => of(turn).peakRssBytes)) / 2 ** 20;
  const service = peakMiB(({ measured }) => measured).toFixed(0);
  return `peak memory: service ${service} MiB, baseline ${peakMiB(({ baseline }) => baseline).toFixed(0)} MiB\n`;
}

/** Returns a line for each exceeded limit. */
export function exceededLimits(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    const limits = limitsOf(row);
    const where = `${row.operation}, ${row.bytes / 1024} KiB, ${row.connections} connections`;
    const ratio = (pick: (one: Measured) => number) => ratioToBaseline(row, pick);
    return [
      ...(ratio(perSecond) < (limits.throughput ?? 0) ? [`${where}: throughput`] : []),
      ...(ratio(cpu) > (limits.cpu ?? Number.POSITIVE_INFINITY) ? [`${where}: processor time`] : []),
      ...(ratio(p50) > (limits.p50 ?? Number.POSITIVE_INFINITY) ? [`${where}: p50`] : []),
    ];
  });
}

const perSecond = (one: Measured) => one.perSecond;
const cpu = (one: Measured) => one.cpuUsPerOp;
const p50 = (one: Measured) => one.p50;

/** Returns the ratio of the service to the baseline, as the median of all turns. */
function ratioToBaseline({ turns }: Row, pick: (one: Measured) => number): number {
  return median(turns.map(({ measured, baseline }) => pick(measured) / pick(baseline)));
}

function cells(row: Row): string[] {
  const { operation, tier, bytes, connections, turns } = row;
  const limits = limitsOf(row);
  const of = (pick: (one: Measured) => number) => median(turns.map(({ measured }) => pick(measured)));
  const kinds = Object.keys(turns[0]?.measured.tripsPerOp ?? {});
  const trips = kinds.map((kind) => [kind, of(({ tripsPerOp }) => tripsPerOp[kind] ?? 0)] as const);
  return [
    operation,
    tier,
    `${bytes / 1024} KiB`,
    String(connections),
    of(perSecond).toFixed(0),
    `${(100 * ratioToBaseline(row, perSecond)).toFixed(0)} %`,
    limits.throughput === undefined ? '' : `≥ ${(100 * limits.throughput).toFixed(0)} %`,
    of(cpu).toFixed(0),
    ratioToBaseline(row, cpu).toFixed(2),
    atMost(limits.cpu),
    of(p50).toFixed(1),
    ratioToBaseline(row, p50).toFixed(2),
    atMost(limits.p50),
    of(({ p95 }) => p95).toFixed(1),
    of(({ p99 }) => p99).toFixed(1),
    of(({ loopMs }) => loopMs.p99).toFixed(1),
    trips
      .filter(([, count]) => count >= 0.005)
      .map(([kind, count]) => `${kind} ${count.toFixed(2)}`)
      .join(', '),
  ];
}

function atMost(limit: number | undefined): string {
  return limit === undefined ? '' : `≤ ${limit}`;
}
