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

/** A limit for the ratio between two figures. Both figures come from the same round. */
interface Limit {
  readonly what: string;
  readonly points?: readonly string[];
  readonly of: (at: At) => readonly [number[], number[]];
  readonly most?: number;
  readonly least?: number;
}

/** Returns the value of one figure in each round. */
type At = (server: string, stalls: boolean, figure: keyof Figures) => number[];

const BUSY = ['16', '64', '256'];
const LIMITS: readonly Limit[] = [
  {
    what: "p50 / baseline's p50",
    points: ['1'],
    of: (at) => [at('service', false, 'p50'), at('direct', false, 'p50')],
    most: 1.2,
  },
  {
    what: "p50 / baseline's p50",
    points: BUSY,
    of: (at) => [at('service', false, 'p50'), at('direct', false, 'p50')],
    most: 1,
  },
  {
    what: "processor time / baseline's processor time",
    points: BUSY,
    of: (at) => [at('service', false, 'cpu'), at('direct', false, 'cpu')],
    most: 0.75,
  },
  {
    what: 'p99 with stalls / p99 without stalls',
    of: (at) => [at('service', true, 'p99'), at('service', false, 'p99')],
    most: 1.5,
  },
  {
    what: 'throughput with stalls / throughput without stalls',
    of: (at) => [at('service', true, 'rate'), at('service', false, 'rate')],
    least: 0.85,
  },
];

const HEAD = [
  'tier',
  'load',
  'stalls',
  'server',
  'p50',
  'p95',
  'p99',
  'a second',
  'CPU µs',
  'read',
  'written',
  'calls',
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
    const at: At = (server, stalls, figure) =>
      same.filter((one) => one.server === server && one.stalls === stalls).map(({ figures }) => figures[figure]);
    const applicable = LIMITS.filter(({ points: of }) => of?.includes(same[0]?.point ?? '') ?? true);
    return applicable.flatMap(({ what, of, most, least }) => {
      const [ours, others] = of(at);
      // With `--calm`, there are no rounds with stalls to compare.
      if (ours.length === 0 || others.length === 0) return [];
      const ratio = median(ours.map((figure, round) => figure / (others[round] ?? Number.NaN)));
      const isExceeded = !(ratio <= (most ?? Number.POSITIVE_INFINITY) && ratio >= (least ?? 0));
      const limit = most === undefined ? `≥ ${least}` : `≤ ${most}`;
      return { line: [name, what, ratio.toFixed(2), limit, isExceeded ? 'EXCEEDED' : ''], isExceeded };
    });
  });
}
