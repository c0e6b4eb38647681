import { median, quantile } from '../../../bench/table.ts';
import type { Reading } from './gauge.ts';
import type { Kind, Sent, Timed } from './sender.ts';

/** A figure's values in the first and in the last third of a run. */
export interface FigureComparison {
  readonly name: string;
  readonly unit: string;
  readonly first: number;
  readonly last: number;
  /** The maximum value for the last third. */
  readonly most: number;
}

/** What was measured during a run. All times are from `performance.now()`. */
export interface Measurements {
  readonly from: number;
  readonly until: number;
  readonly readings: readonly Reading[];
  readonly sent: readonly Sent[];
  /** Reads that went directly to the emulator, without the service. */
  readonly directReads: readonly Timed[];
  /** Returns whether nothing, such as a fault or a scheduled function, slowed the service down in this period. */
  isQuiet(from: number, to: number): boolean;
}

/**
 * The fraction of a run, at its beginning, that is not compared. The process may need this time until its memory stops
 * growing.
 */
const WARM_UP = 0.1;

/**
 * No limit, for latencies that are only shown. An example is the audit log: for each query, the emulator reads the rows
 * of all tenants, and their number keeps growing. Firestore uses an index instead.
 */
const unlimited = () => Number.POSITIVE_INFINITY;

/**
 * The limit of a figure in the last third of a run: its value in the first third, multiplied by `times`, plus `plus`.
 */
interface Margin {
  readonly times: number;
  readonly plus: number;
}

/** No limit, for figures that are only shown because they explain other figures. */
const UNLIMITED: Margin = { times: 1, plus: Number.POSITIVE_INFINITY };

/**
 * The figures of the process. If nothing leaks, the first and the last third differ by less than the margin, even in a
 * run of two minutes.
 */
const FIGURES: readonly { name: string; unit: string; margin: Margin; of: (reading: Reading) => number }[] = [
  { name: 'memory in use', unit: 'MiB', margin: { times: 1.1, plus: 3 }, of: ({ heapBytes }) => heapBytes / 2 ** 20 },
  {
    name: 'memory of the process',
    unit: 'MiB',
    margin: { times: 1.15, plus: 10 },
    of: ({ rssBytes }) => rssBytes / 2 ** 20,
  },
  { name: 'sockets', unit: '', margin: { times: 1, plus: 10 }, of: ({ sockets }) => sockets },
  { name: 'open files, pipes and sockets', unit: '', margin: { times: 1, plus: 10 }, of: ({ handles }) => handles },
  { name: 'load of the machine', unit: '', margin: UNLIMITED, of: ({ load }) => load },
];

/**
 * The margin for latencies. In addition, latency may grow in proportion to the machine's load, or to the time of reads
 * that go directly to the emulator.
 */
const LATENCY: Margin = { times: 1.5, plus: 10 };
/** The quantiles of latency. `least` is the minimum number of requests: with fewer, the quantile means nothing. */
const QUANTILES = [
  { name: 'p50', share: 0.5, least: 10 },
  { name: 'p95', share: 0.95, least: 60 },
];

/** Compares the last third of a run with its first third. Uses only times when nothing else slowed the service down. */
export function compareThirds({ from, until, readings, sent, directReads, isQuiet }: Measurements): FigureComparison[] {
  const begin = from + WARM_UP * (until - from);
  const length = (until - begin) / 3;
  const thirdOf = <Item extends { readonly at: number }>(items: readonly Item[], n: number) =>
    items.filter(({ at }) => at >= begin + n * length && at < begin + (n + 1) * length);
  const thirds = <Item extends { readonly at: number }>(items: readonly Item[]) =>
    [thirdOf(items, 0), thirdOf(items, 2)] as const;

  const [early, late] = thirds(readings.filter(({ at }) => isQuiet(at, at)));
  const figures = FIGURES.map(({ name, unit, margin, of }) => {
    const [first, last] = [median(early.map(of)), median(late.map(of))];
    return { name, unit, first, last, most: first * margin.times + margin.plus };
  });

  const loads = [early, late].map((some) => median(some.map(({ load }) => load)));
  const busier = Math.max(1, (loads[1] ?? 1) / (loads[0] ?? 1));
  const inQuiet = <Item extends Timed>(items: readonly Item[]) =>
    items.filter(({ at, tookMs }) => isQuiet(at, at + tookMs));
  const byKind = [...Map.groupBy(inQuiet(sent), ({ kind }) => kind)].toSorted(([a], [b]) => a.localeCompare(b));
  const latencies = QUANTILES.flatMap(({ name, share, least }) => {
    const quantileOf = (some: readonly Timed[]) =>
      quantile(
        some.map(({ tookMs }) => tookMs),
        share,
      );
    const compare = (what: string, some: readonly Timed[], mostOf: (first: number) => number): FigureComparison[] => {
      const [first, last] = thirds(some);
      if (first.length < least || last.length < least) return [];
      const [before, after] = [quantileOf(first), quantileOf(last)];
      return [{ name: `${what}, ${name}`, unit: 'ms', first: before, last: after, most: mostOf(before) }];
    };
    const reads = compare('direct reads from the emulator', inQuiet(directReads), unlimited);
    const slower = Math.max(busier, ...reads.map(({ first, last }) => last / first));
    const mostOf = (first: number) => first * LATENCY.times * slower + LATENCY.plus;
    const limitOf = (kind: Kind) => (kind === 'audit log' ? unlimited : mostOf);
    return [...reads, ...byKind.flatMap(([kind, some]) => compare(kind, some, limitOf(kind)))];
  });
  return [...figures, ...latencies];
}

/** Returns whether a figure is at most its maximum. Returns `false` for a figure that was never measured. */
export function isWithinLimit({ last, most }: FigureComparison): boolean {
  return last <= most;
}
