import { median, quantile } from '../../../bench/statistics.ts';
import type { Reading } from './gauge.ts';
import type { Kind, Sent, Timed } from './sender.ts';

/** A figure in the first and the last third of the run. */
export interface Level {
  readonly name: string;
  readonly unit: string;
  readonly first: number;
  readonly last: number;
  /** The limit for `last`. */
  readonly most: number;
}

/** What was measured in a run. Times are those of `performance.now()`. */
export interface Seen {
  readonly from: number;
  readonly until: number;
  readonly readings: readonly Reading[];
  readonly sent: readonly Sent[];
  /** Direct reads of the emulator, without the service. */
  readonly bare: readonly Timed[];
  /** Whether nothing but the traffic slowed the service down in that time. */
  isQuiet(from: number, to: number): boolean;
}

/** The share of the run in which the process fills its caches. */
const WARM_UP = 0.1;

/**
 * The audit log has no limit: a query of the emulator reads the growing number of rows of all tenants. Firestore has an
 * index.
 */
const unlimited = () => Number.POSITIVE_INFINITY;

/** How much greater a figure may be in the last third. */
interface Margin {
  readonly times: number;
  readonly plus: number;
}

/** For figures that only explain others. */
const UNLIMITED: Margin = { times: 1, plus: Number.POSITIVE_INFINITY };

/** Figures of the process. Without a leak they differ by less, even in a run of two minutes. */
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

/** Latency may grow by half, multiplied by the growth of the machine's load or of the time of direct reads. */
const LATENCY: Margin = { times: 1.5, plus: 10 };
/** A quantile of few requests means nothing, so `least` are required. */
const QUANTILES = [
  { name: 'p50', share: 0.5, least: 10 },
  { name: 'p95', share: 0.95, least: 60 },
];

/** Compares the last third of a run with its first, in quiet times only. */
export function compareThirds({ from, until, readings, sent, bare, isQuiet }: Seen): Level[] {
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
    const compare = (what: string, some: readonly Timed[], mostOf: (first: number) => number): Level[] => {
      const [first, last] = thirds(some);
      if (first.length < least || last.length < least) return [];
      const [before, after] = [quantileOf(first), quantileOf(last)];
      return [{ name: `${what}, ${name}`, unit: 'ms', first: before, last: after, most: mostOf(before) }];
    };
    const reads = compare('bare reads of the emulator', inQuiet(bare), unlimited);
    const slower = Math.max(busier, ...reads.map(({ first, last }) => last / first));
    const mostOf = (first: number) => first * LATENCY.times * slower + LATENCY.plus;
    const limitOf = (kind: Kind) => (kind === 'audit log' ? unlimited : mostOf);
    return [...reads, ...byKind.flatMap(([kind, some]) => compare(kind, some, limitOf(kind)))];
  });
  return [...figures, ...latencies];
}

/** Returns false for a figure without values. */
export function isLevel({ last, most }: Level): boolean {
  return last <= most;
}
