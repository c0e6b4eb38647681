import { z } from 'zod';
import { barOf, type Point } from './bars.ts';
import type { Measured } from './measure.ts';
import { alignColumns } from './table.ts';

/** What each round trip of an operation costs with a bare client, in milliseconds. */
export const bareTrips = z.object({ read: z.number(), decision: z.number(), kms: z.number(), commit: z.number() });
export type BareTrips = z.output<typeof bareTrips>;

/** An operation at one size and number of connections, and the floor, measured just before and after it. */
export interface Row extends Point {
  readonly measured: Measured;
  readonly floor: Measured;
}

const HEAD = [
  'operation',
  'tier',
  'size',
  'conn.',
  'ops/s',
  'of floor',
  'bar',
  'CPU µs',
  '× floor',
  'bar',
  'p50',
  '× floor',
  'bar',
  'p95',
  'p99',
  'loop p99',
  'trips per operation',
];

/** The rows as a table. Ratios are to the floor, each beside its bar where it has one; times are in milliseconds. */
export function showTable(rows: readonly Row[]): string {
  return alignColumns([HEAD, ...rows.map(cells)]);
}

/** The peak resident memory of service and floor. */
export function showPeakMemory(rows: readonly Row[]): string {
  const peakMiB = (of: (row: Row) => Measured) => Math.max(...rows.map((row) => of(row).peakRssBytes)) / 2 ** 20;
  const service = peakMiB(({ measured }) => measured).toFixed(0);
  return `peak memory: service ${service} MiB, floor ${peakMiB(({ floor }) => floor).toFixed(0)} MiB\n`;
}

/**
 * The latency over one connection at the smallest size, and the sum of the bare round trips that it waits for in
 * sequence: reads and decision go side by side.
 */
export function showSingleConnection(rows: readonly Row[], bare: BareTrips): string {
  const smallest = Math.min(...rows.map(({ bytes }) => bytes));
  const lines = rows
    .filter(({ connections, bytes }) => connections === 1 && bytes === smallest)
    .map(({ operation, tier, measured: { p50 } }) => {
      const kmsCalls = tier === 'wrapped' ? 0 : operation === 'rewrap' ? 2 : 1;
      const trips = Math.max(bare.read, bare.decision) + kmsCalls * bare.kms + bare.commit;
      return [operation, tier, ...[p50, trips, p50 - trips].map((ms) => ms.toFixed(2))];
    });
  const each = Object.entries(bare).map(([kind, ms]) => `${kind} ${ms.toFixed(2)}`);
  const table = alignColumns([['operation', 'tier', 'p50', 'bare trips', 'above'], ...lines]);
  return `one connection, in milliseconds; bare round trips: ${each.join(', ')}\n${table}`;
}

function cells(row: Row): string[] {
  const { operation, tier, bytes, connections, measured, floor } = row;
  const bar = barOf(row);
  const trips = Object.entries(measured.tripsPerOp).filter(([, count]) => count >= 0.005);
  return [
    operation,
    tier,
    `${bytes / 1024} KiB`,
    String(connections),
    measured.perSecond.toFixed(0),
    `${((100 * measured.perSecond) / floor.perSecond).toFixed(0)} %`,
    bar.throughput === undefined ? '' : `≥ ${(100 * bar.throughput).toFixed(0)} %`,
    measured.cpuUsPerOp.toFixed(0),
    (measured.cpuUsPerOp / floor.cpuUsPerOp).toFixed(2),
    atMost(bar.cpu),
    measured.p50.toFixed(1),
    (measured.p50 / floor.p50).toFixed(2),
    atMost(bar.p50),
    measured.p95.toFixed(1),
    measured.p99.toFixed(1),
    measured.loopMs.p99.toFixed(1),
    trips.map(([kind, count]) => `${kind} ${count.toFixed(2)}`).join(', '),
  ];
}

function atMost(bar: number | undefined): string {
  return bar === undefined ? '' : `≤ ${bar}`;
}
