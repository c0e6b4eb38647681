import { alignColumns, median } from '../table.ts';

/**
 * The figures of one load. `p50`, `p95` and `p99` are in milliseconds, `rate` in operations per second. The other figures
 * are per operation: processor time in microseconds, documents that were read and written, and calls.
 */
export interface Figures {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly rate: number;
  readonly cpu: number;
  readonly read: number;
  readonly written: number;
  readonly calls: number;
}

/** The result of one load on one server. Rounds with the same load are in the order in which they were measured. */
export interface Round {
  readonly tier: string;
  readonly point: string;
  readonly stalls: boolean;
  readonly server: string;
  readonly figures: Figures;
}

/**
 * The least or the most that a figure of the service may be, as a multiple of the same figure in the same round: of the
 * baseline, or of the service while no calls stall. In the latter case, the service's figure is of rounds with stalls.
 */
interface Limit {
  readonly what: string;
  readonly figure: keyof Figures;
  readonly to: 'baseline' | 'without stalls';
  /** The loads with this limit. By default, all loads have it. */
  readonly points?: readonly string[];
  readonly least?: number;
  readonly most?: number;
}

const BUSY = ['16', '64', '256'];
const LIMITS: readonly Limit[] = [
  { what: 'p50', figure: 'p50', to: 'baseline', points: ['1'], most: 1.2 },
  { what: 'p50', figure: 'p50', to: 'baseline', points: BUSY, most: 1 },
  { what: 'processor time', figure: 'cpu', to: 'baseline', points: BUSY, most: 0.75 },
  { what: 'p99 with stalls', figure: 'p99', to: 'without stalls', most: 1.5 },
  { what: 'throughput with stalls', figure: 'rate', to: 'without stalls', least: 0.85 },
];

const HEAD = [
  ...['tier', 'load', 'stalls', 'server', 'p50', 'p95', 'p99', 'a second'],
  ...['CPU µs', 'read', 'written', 'calls'],
];

/** Returns two tables: the medians, and the ratios with their limits. */
export function showRounds(rounds: readonly Round[]): string {
  const groups = Map.groupBy(rounds, ({ tier, point, stalls, server }) =>
    [tier, point, stalls ? 'yes' : 'no', server].join(),
  );
  const lines = [...groups].map(([name, same]) => {
    const of = (figure: keyof Figures, digits: number) =>
      median(same.map(({ figures }) => figures[figure])).toFixed(digits);
    const times = [of('p50', 1), of('p95', 1), of('p99', 1), of('rate', 0), of('cpu', 0)];
    return [...name.split(','), ...times, of('read', 2), of('written', 2), of('calls', 2)];
  });
  return `${alignColumns([HEAD, ...lines])}\n${alignColumns(judge(rounds).map(({ line }) => line))}`;
}

/** Returns a line for each exceeded limit. */
export function exceededLimits(rounds: readonly Round[]): string[] {
  return judge(rounds).flatMap(({ line, isExceeded }) => (isExceeded ? line.join(' ') : []));
}

function judge(rounds: readonly Round[]): { readonly line: string[]; readonly isExceeded: boolean }[] {
  const points = Map.groupBy(rounds, ({ tier, point }) => `${tier} ${point}`);
  return [...points].flatMap(([name, same]) => {
    const figuresOf = (server: string, stalls: boolean, figure: keyof Figures) =>
      same.filter((one) => one.server === server && one.stalls === stalls).map(({ figures }) => figures[figure]);
    const applicable = LIMITS.filter(({ points }) => points?.includes(same[0]?.point ?? '') ?? true);
    return applicable.flatMap(({ what, figure, to, least, most }) => {
      const ours = figuresOf('service', to === 'without stalls', figure);
      const others = figuresOf(to === 'baseline' ? 'direct' : 'service', false, figure);
      // With `--calm`, there are no rounds with stalls to compare.
      if (ours.length === 0 || others.length === 0) return [];
      const ratio = median(ours.map((value, round) => value / (others[round] ?? Number.NaN)));
      const isExceeded = !(ratio <= (most ?? Number.POSITIVE_INFINITY) && ratio >= (least ?? 0));
      const limit = most === undefined ? `≥ ${least}` : `≤ ${most}`;
      return { line: [name, `${what} / ${to}`, ratio.toFixed(2), limit, isExceeded ? 'EXCEEDED' : ''], isExceeded };
    });
  });
}
