import { median, quantile } from '../../../bench/statistics.ts';
import type { Reading } from './gauge.ts';
import type { Sent } from './sender.ts';

/** A figure in the first and in the last third of the run. */
export interface Level {
  readonly name: string;
  readonly unit: string;
  readonly first: number;
  readonly last: number;
  /** The most that the last one may be. */
  readonly most: number;
}

/** How long the process may take to have in memory what it keeps, as a share of the run. */
const WARM_UP = 0.1;

/**
 * What two thirds without a leak differ by. Memory after a collection differs by what is under way, some MiB; sockets by a few
 * connections that wait for their next request. Latency follows what else the machine does: a process that keeps or searches
 * more and more is slower by more than half.
 */
const LIMITS = {
  heap: { times: 1.1, plus: 3 },
  rss: { times: 1.15, plus: 10 },
  handles: { times: 1, plus: 10 },
  latency: { times: 1.5, plus: 10 },
};

/** Holds the last third of a run against its first, in the times without a fault. */
export function compareThirds(
  { from, until }: { readonly from: number; readonly until: number },
  readings: readonly Reading[],
  sent: readonly Sent[],
  isQuiet: (from: number, to: number) => boolean,
): Level[] {
  const begin = from + WARM_UP * (until - from);
  const third = (until - begin) / 3;
  const inThird = <Item extends { readonly at: number }>(items: readonly Item[], n: number) =>
    items.filter(({ at }) => at >= begin + n * third && at < begin + (n + 1) * third);
  const quietReadings = readings.filter(({ at }) => isQuiet(at, at));
  const quietSent = sent.filter(({ at, tookMs }) => isQuiet(at, at + tookMs));
  const compare = <Item extends { readonly at: number }>(
    name: string,
    unit: string,
    items: readonly Item[],
    figure: (some: readonly Item[]) => number,
    { times, plus }: { readonly times: number; readonly plus: number },
  ): Level => {
    const [first, last] = [figure(inThird(items, 0)), figure(inThird(items, 2))];
    return { name, unit, first, last, most: first * times + plus };
  };
  const of = (pick: (reading: Reading) => number) => (some: readonly Reading[]) => median(some.map(pick));
  const kinds = [...Map.groupBy(quietSent, ({ kind }) => kind)];
  return [
    compare(
      'memory in use',
      'MiB',
      quietReadings,
      of(({ heapBytes }) => heapBytes / 2 ** 20),
      LIMITS.heap,
    ),
    compare(
      'memory of the process',
      'MiB',
      quietReadings,
      of(({ rssBytes }) => rssBytes / 2 ** 20),
      LIMITS.rss,
    ),
    compare(
      'sockets',
      '',
      quietReadings,
      of(({ sockets }) => sockets),
      LIMITS.handles,
    ),
    compare(
      'handles',
      '',
      quietReadings,
      of(({ handles }) => handles),
      LIMITS.handles,
    ),
    compare(
      'delay of the event loop, p99',
      'ms',
      quietReadings,
      of(({ loopP99Ms }) => loopP99Ms),
      LIMITS.latency,
    ),
    ...kinds.flatMap(([kind, some]) =>
      [0.5, 0.95].map((share) =>
        compare(
          `${kind}, p${share * 100}`,
          'ms',
          some,
          (those) =>
            quantile(
              those.map(({ tookMs }) => tookMs),
              share,
            ),
          LIMITS.latency,
        ),
      ),
    ),
  ];
}

/** Whether a figure is level. One that was never seen is not. */
export function isLevel({ last, most }: Level): boolean {
  return last <= most;
}
