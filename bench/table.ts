import type { Measured } from './measure.ts';

/** One line of the results: an operation beside the floor, measured around it. */
export interface Row {
  readonly operation: string;
  readonly tier: string;
  readonly bytes: number;
  readonly connections: number;
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
  'CPU µs',
  '× floor',
  'p50',
  'p95',
  'p99',
  'loop p99',
  'trips per operation',
];

/** The rows as a table for people; ratios are to the floor of the same run, times in milliseconds. */
export function showTable(rows: readonly Row[]): string {
  return alignColumns([HEAD, ...rows.map(cells)]);
}

/** The lines, each cell as wide as the widest of its column. */
export function alignColumns(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** The most memory that service and floor held during the run. */
export function showPeakMemory(rows: readonly Row[]): string {
  const peakMiB = (of: (row: Row) => Measured) => Math.max(...rows.map((row) => of(row).peakRssBytes)) / 2 ** 20;
  const service = peakMiB(({ measured }) => measured).toFixed(0);
  return `peak memory: service ${service} MiB, floor ${peakMiB(({ floor }) => floor).toFixed(0)} MiB\n`;
}

function cells({ operation, tier, bytes, connections, measured, floor }: Row): string[] {
  const trips = Object.entries(measured.tripsPerOp).filter(([, count]) => count >= 0.005);
  return [
    operation,
    tier,
    `${bytes / 1024} KiB`,
    String(connections),
    measured.perSecond.toFixed(0),
    `${((100 * measured.perSecond) / floor.perSecond).toFixed(0)} %`,
    measured.cpuUsPerOp.toFixed(0),
    (measured.cpuUsPerOp / floor.cpuUsPerOp).toFixed(2),
    measured.p50.toFixed(1),
    measured.p95.toFixed(1),
    measured.p99.toFixed(1),
    measured.loopMs.p99.toFixed(1),
    trips.map(([kind, count]) => `${kind} ${count.toFixed(2)}`).join(', '),
  ];
}
