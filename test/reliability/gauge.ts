import type { ChildProcess } from 'node:child_process';
import { on } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { median, quantile } from '../../bench/table.ts';
import type { Addresses } from '../support/client.ts';
import { readDocument } from '../support/firestore.ts';
import { type RequestResult, withDeadline } from './ledger.ts';

/** The limit of a figure in the last third of a run: its value in the first third, multiplied by `times`, plus `plus`. */
interface Margin {
  readonly times: number;
  readonly plus: number;
}

/**
 * The figures of the process. If nothing leaks, the first and the last third differ by less than the margin, even in a
 * run of two minutes.
 */
const FIGURES = [
  ['MiB in use on the heap', { times: 1.1, plus: 3 }],
  ['MiB of memory', { times: 1.15, plus: 10 }],
  ['open files, pipes and sockets', { times: 1, plus: 10 }],
  ['sockets', { times: 1, plus: 10 }],
] as const;

/** The margin for latencies, which may also grow in proportion to those of reads that go directly to the emulator. */
const LATENCY: Margin = { times: 1.5, plus: 10 };

/** The quantiles of latency. `least` is the minimum number of requests: with fewer, the quantile means nothing. */
const QUANTILES = [
  { share: 0.5, least: 10 },
  { share: 0.95, least: 60 },
];

/**
 * The fraction of a run, at its beginning, that is not compared. The process may need this time until its memory stops
 * growing.
 */
const WARM_UP = 0.1;

const DIRECT = 'direct read from the emulator';

const EVERY_MS = 5_000;
const READ_EVERY_MS = 200;
const READ_DEADLINE_MS = 60_000;

/** A read usually takes a few milliseconds. If it takes this long, the service's calls may exceed their deadlines. */
const BUSY_AFTER_MS = 500;

const PAGE_BYTES = 4_096;
const MIB = 2 ** 20;

/** The resources that a process used at one time, which is from `performance.now()`. */
type Reading = { readonly at: number } & Record<(typeof FIGURES)[number][0], number>;

type Timed = Pick<RequestResult, 'at' | 'tookMs' | 'call'>;

/** What a run measures: the resources of the process, and the speed of the emulator without the service. */
export class Gauge {
  readonly readings: Reading[] = [];
  /** Reads that went directly to the emulator, without the service. */
  readonly reads: Timed[] = [];

  /** Returns the last reading in words. */
  get last(): string {
    return JSON.stringify(this.readings.at(-1));
  }

  /** Reads the resources of a process every few seconds until the signal aborts. */
  async readResources(child: ChildProcess, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const folder = `/proc/${child.pid}`;
      const links = readdirSync(`${folder}/fd`).flatMap((name) => linkOf(`${folder}/fd/${name}`));
      const [, pages = ''] = readFileSync(`${folder}/statm`, 'utf8').split(' ');
      this.readings.push({
        at: performance.now(),
        'MiB in use on the heap': (await reachableBytes(child)) / MIB,
        'MiB of memory': (Number(pages) * PAGE_BYTES) / MIB,
        'open files, pipes and sockets': links.length,
        sockets: links.filter((link) => link.startsWith('socket:')).length,
      });
      await pause(EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  }

  /**
   * Reads tenants directly from the emulator until the signal aborts. Calls `noteBusy`, which returns a function that
   * notes the end, when the machine is too busy to judge the service.
   */
  async readDirectly(
    stack: Addresses,
    tenantIds: readonly string[],
    stopped: AbortSignal,
    noteBusy: () => () => void,
  ): Promise<void> {
    for (let n = 0; !stopped.aborted; n++) {
      const at = performance.now();
      let end = (): void => undefined;
      const busy = setTimeout(() => {
        end = noteBusy();
      }, BUSY_AFTER_MS);
      await withDeadline(READ_DEADLINE_MS, DIRECT, readDocument(stack, `tenants/${tenantIds[n % tenantIds.length]}`));
      clearTimeout(busy);
      end();
      this.reads.push({ at, tookMs: performance.now() - at, call: DIRECT });
      await pause(READ_EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  }

  /**
   * Compares the last third of a run with its first third. Uses only times when nothing else slowed the service down.
   * Returns a line for each figure, which begins with `GROWN` if the figure exceeds its limit.
   */
  compareThirds(
    from: number,
    until: number,
    sent: readonly RequestResult[],
    isQuiet: (from: number, until: number) => boolean,
  ): string[] {
    const begin = from + WARM_UP * (until - from);
    const length = (until - begin) / 3;
    const thirds = <Item extends { readonly at: number; readonly tookMs?: number }>(items: readonly Item[]) => {
      const quiet = items.filter(({ at, tookMs = 0 }) => isQuiet(at, at + tookMs));
      const third = (n: number) => quiet.filter(({ at }) => at >= begin + n * length && at < begin + (n + 1) * length);
      return [third(0), third(2)] as const;
    };
    const compare = (what: string, first: number, last: number, { times, plus }: Margin) => {
      const most = first * times + plus;
      const figures = [first, last, most].map((figure) => figure.toFixed(1));
      // A figure that was never measured is not a number, and so has grown.
      return `${last <= most ? 'OK' : 'GROWN'}: ${what} from ${figures[0]} to ${figures[1]}, at most ${figures[2]}`;
    };
    const [early, late] = thirds(this.readings);
    const lines = FIGURES.map(([name, margin]) => {
      return compare(name, median(early.map((one) => one[name])), median(late.map((one) => one[name])), margin);
    });
    const kinds = Map.groupBy([...this.reads, ...sent.filter(({ isExpected }) => isExpected)], kindOf);
    for (const { share, least } of QUANTILES) {
      const of = (some: readonly Timed[]) => {
        const both = thirds(some).map((third) => third.map(({ tookMs }) => tookMs));
        return both.some((third) => third.length < least) ? undefined : both.map((third) => quantile(third, share));
      };
      const [before = 1, after = 1] = of(this.reads) ?? [];
      const slower = Math.max(1, after / before);
      for (const [kind, some] of kinds) {
        const [first, last] = of(some) ?? [];
        if (first === undefined || last === undefined) continue;
        // For each query of the audit log, the emulator reads the rows of all tenants. Firestore uses an index.
        const plus = kind === DIRECT || kind === 'audit log' ? Number.POSITIVE_INFINITY : LATENCY.plus;
        lines.push(compare(`${kind}, ms at ${share}`, first, last, { times: LATENCY.times * slower, plus }));
      }
    }
    return lines;
  }
}

/** Returns the kind of a request. All requests of a kind should take about the same time. */
function kindOf({ call }: Timed): string {
  if (call === DIRECT) return call;
  if (call.includes('/transit/')) return 'Transit';
  if (call.includes('/audit')) return 'audit log';
  if (call.startsWith('GET ')) return 'reads';
  if (call.endsWith('/rotate')) return 'rotations';
  return /\/(?:encrypt|decrypt|wrap|unwrap|rewrap)$/.test(call) ? 'operations' : 'changes';
}

/** Returns the target of a link in a list. The list is empty if the file was closed just before. */
function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

/** The flags for Node with which a process can say how much of its heap is in use. */
export const REPORTS_HEAP = ['--expose-gc', `--import=${new URL('report-heap.ts', import.meta.url)}`];

const report = z.object({ reachable_bytes: z.number() });

/** Collects garbage in a process with {@link REPORTS_HEAP}. Returns the number of bytes that are still in use. */
async function reachableBytes(child: ChildProcess): Promise<number> {
  child.kill('SIGUSR2');
  for await (const [message] of on(child, 'message', { close: ['exit'] })) {
    const { success, data } = report.safeParse(message);
    if (success) return data.reachable_bytes;
  }
  throw new Error('the process did not report its heap');
}
