import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Inspector } from '../../../bench/memory/inspector.ts';
import type { ProxiedService } from '../proxied-service.ts';

const EVERY_MS = 5_000;

const measured = z.object({ cpu_us: z.number() });

/** The resources that a process used at one time. `at` is from `performance.now()`. */
export interface Reading {
  readonly at: number;
  /** The number of bytes in use on the heap. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** The number of open files, pipes and sockets. */
  readonly handles: number;
  readonly sockets: number;
  /** The machine’s load average over the last minute. */
  readonly load: number;
  /** The processor time since the process started, in microseconds. */
  readonly cpuUs: number;
}

/** Reads the resources of a process every few seconds until the signal aborts. */
export async function readResources(
  service: ProxiedService,
  inspector: Inspector,
  stopped: AbortSignal,
  readings: Reading[],
): Promise<void> {
  while (!stopped.aborted) {
    readings.push(await readOnce(service, inspector));
    await pause(EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
  }
}

async function readOnce(service: ProxiedService, inspector: Inspector): Promise<Reading> {
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

/** Returns the target of a link in a list. The list is empty if the file was closed just before. */
function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}
