import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Inspector } from '../../../bench/memory/inspector.ts';
import type { BesetService } from '../beset-service.ts';

const EVERY_MS = 5_000;

const measured = z.object({ cpu_us: z.number() });

/** What a process holds at the time `at` (`performance.now()`). */
export interface Reading {
  readonly at: number;
  /** The bytes that are reachable on the heap. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Open files, pipes and sockets. */
  readonly handles: number;
  readonly sockets: number;
  /** The load average of the last minute: the number of processes that want a processor. */
  readonly load: number;
  /** Processor time since the process started, in microseconds. */
  readonly cpuUs: number;
}

/** Adds a reading every few seconds until the signal aborts. */
export async function readAgainAndAgain(
  service: BesetService,
  inspector: Inspector,
  stopped: AbortSignal,
  readings: Reading[],
): Promise<void> {
  while (!stopped.aborted) {
    readings.push(await readOnce(service, inspector));
    await pause(EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
  }
}

async function readOnce(service: BesetService, inspector: Inspector): Promise<Reading> {
  const { cpu_us } = measured.parse(await service.ask({ measure: true }));
  const folder = `/proc/${service.pid()}`;
  const links = readdirSync(`${folder}/fd`).flatMap((name) => linkOf(`${folder}/fd/${name}`));
  const heapBytes = await inspector.reachableBytes();
  const [, rssPages = ''] = readFileSync(`${folder}/statm`, 'utf8').split(' ');
  return {
    at: performance.now(),
    heapBytes,
    rssBytes: Number(rssPages) * PAGE_BYTES,
    handles: links.length,
    sockets: links.filter((link) => link.startsWith('socket:')).length,
    load: loadavg()[0] ?? 0,
    cpuUs: cpu_us,
  };
}

const PAGE_BYTES = 4_096;

/** Returns the target of a link, or nothing if the link was just closed. */
function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}
