import type { Measured } from './load.ts';
import { alignColumns, median } from './table.ts';

export interface Point {
  readonly operation: string;
  readonly tier: string;
  readonly bytes: number;
  readonly connections: number;
}

/** The figures that are compared with the baseline's. */
type Figure = 'perSecond' | 'cpuUsPerOp' | 'p50';

/** The least or the most that a figure of the service may be, as a multiple of the baseline's figure. */
interface Limit extends Pick<Point, 'bytes' | 'connections'> {
  readonly figure: Figure;
  /** The name of the figure. */
  readonly what: string;
  readonly least?: number;
  readonly most?: number;
}

const LIMITED_OPERATIONS = ['encrypt', 'decrypt'];
const LIMITS: readonly Limit[] = [
  { bytes: 1_024, connections: 1, figure: 'p50', what: 'p50', most: 1.15 },
  { bytes: 65_536, connections: 32, figure: 'perSecond', what: 'throughput', least: 0.85 },
  { bytes: 65_536, connections: 32, figure: 'cpuUsPerOp', what: 'processor time', most: 1.35 },
];

/**
 * Returns the limits for a load. Only `wrapped` keys have limits: keys of other tiers use the KMS emulator, which
 * competes with the service for the processors.
 */
function limitsOf({ operation, tier, bytes, connections }: Point): readonly Limit[] {
  if (tier !== 'wrapped' || !LIMITED_OPERATIONS.includes(operation)) return [];
  return LIMITS.filter((limit) => limit.bytes === bytes && limit.connections === connections);
}

export function hasLimit(point: Point): boolean {
  return limitsOf(point).length > 0;
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
  ...['operation', 'tier', 'size', 'conn.'],
  ...['ops/s', '× baseline', 'limit'],
  ...['CPU µs', '× baseline', 'limit'],
  ...['p50', '× baseline', 'limit'],
  ...['p95', 'p99', 'loop p99', 'trips per operation'],
];

/**
 * Returns a table with one row per load. It has the service's times in milliseconds, and ratios of the service to the
 * baseline, each beside its limit if it has one.
 */
export function showTable(rows: readonly Row[]): string {
  return alignColumns([HEAD, ...rows.map(cells)]);
}

/** Returns a line for each exceeded limit. */
export function exceededLimits(rows: readonly Row[]): string[] {
  return rows.flatMap((row) =>
    limitsOf(row).flatMap(({ figure, what, least = 0, most = Number.POSITIVE_INFINITY }) => {
      const ratio = ratioToBaseline(row, figure);
      const where = `${row.operation}, ${row.bytes / 1024} KiB, ${row.connections} connections`;
      return ratio >= least && ratio <= most ? [] : `${where}: ${what} is ${ratio.toFixed(2)} times the baseline's`;
    }),
  );
}

/** Returns the ratio of the service to the baseline, as the median of all turns. */
function ratioToBaseline({ turns }: Row, figure: Figure): number {
  return median(turns.map(({ measured, baseline }) => measured[figure] / baseline[figure]));
}

function cells(row: Row): string[] {
  const { operation, tier, bytes, connections, turns } = row;
  const of = (pick: (one: Measured) => number) => median(turns.map(({ measured }) => pick(measured)));
  const compared = (figure: Figure, digits: number) => {
    const limit = limitsOf(row).find((one) => one.figure === figure);
    const shown = limit === undefined ? '' : limit.most === undefined ? `≥ ${limit.least}` : `≤ ${limit.most}`;
    return [of((one) => one[figure]).toFixed(digits), ratioToBaseline(row, figure).toFixed(2), shown];
  };
  const kinds = Object.keys(turns[0]?.measured.tripsPerOp ?? {});
  const trips = kinds.map((kind) => [kind, of(({ tripsPerOp }) => tripsPerOp[kind] ?? 0)] as const);
  return [
    ...[operation, tier, `${bytes / 1024} KiB`, String(connections)],
    ...compared('perSecond', 0),
    ...compared('cpuUsPerOp', 0),
    ...compared('p50', 1),
    ...[of(({ p95 }) => p95), of(({ p99 }) => p99), of(({ loopP99 }) => loopP99)].map((ms) => ms.toFixed(1)),
    trips
      .filter(([, count]) => count >= 0.005)
      .map(([kind, count]) => `${kind} ${count.toFixed(2)}`)
      .join(', '),
  ];
}
