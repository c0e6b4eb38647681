import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Addresses } from '../../support/client.ts';
import { readDocument } from '../../support/documents.ts';
import type { ProxiedService } from '../proxied-service.ts';
import { withDeadline } from './deadline.ts';
import type { Disturbances } from './disturbances.ts';
import type { Timed } from './sender.ts';
import type { SoakTenant } from './tenants.ts';

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

const targets = z.tuple([z.object({ webSocketDebuggerUrl: z.url() })]).rest(z.unknown());
const answer = z.object({ id: z.int(), result: z.unknown() });
const usage = z.object({ usedSize: z.number() });

/** A connection to the inspector of a Node process, which uses the Chrome DevTools Protocol. */
export interface Inspector {
  /** Collects garbage. Returns the number of bytes that are still in use on the heap. */
  reachableBytes(): Promise<number>;
  close(): void;
}

/** Connects to a local process that was started with `--inspect` on this port. */
export async function connectInspector(port: number): Promise<Inspector> {
  const listed = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [{ webSocketDebuggerUrl }] = targets.parse(await listed.json());
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, 'open');
  let lastId = 0;
  const call = (method: string): Promise<unknown> => {
    const id = ++lastId;
    return new Promise((resolve) => {
      const listen = ({ data }: MessageEvent) => {
        const parsed = answer.safeParse(JSON.parse(String(data)));
        if (!parsed.success || parsed.data.id !== id) return;
        socket.removeEventListener('message', listen);
        resolve(parsed.data.result);
      };
      socket.addEventListener('message', listen);
      socket.send(JSON.stringify({ id, method }));
    });
  };
  return {
    async reachableBytes() {
      // The second run collects the objects that the first run has finalized.
      await call('HeapProfiler.collectGarbage');
      await call('HeapProfiler.collectGarbage');
      return usage.parse(await call('Runtime.getHeapUsage')).usedSize;
    },
    close: () => socket.close(),
  };
}

const READ_EVERY_MS = 200;
const READ_DEADLINE_MS = 60_000;
/** A read usually takes a few milliseconds. If it takes this long, the service's calls may exceed their deadlines. */
const BUSY_AFTER_MS = 500;

/**
 * Reads directly from the Firestore emulator until the signal aborts. This measures the speed of the machine and the
 * emulator without the service. Records when the machine is too busy to judge the service.
 */
export async function readDirectly(
  stack: Addresses,
  tenants: readonly SoakTenant[],
  stopped: AbortSignal,
  reads: Timed[],
  disturbances: Disturbances,
): Promise<void> {
  for (let n = 0; !stopped.aborted; n++) {
    const at = performance.now();
    let end = (): void => undefined;
    const busy = setTimeout(() => {
      end = disturbances.begin('high load');
    }, BUSY_AFTER_MS);
    const read = readDocument(stack, `tenants/${tenants[n % tenants.length]?.id}`);
    await withDeadline(READ_DEADLINE_MS, 'a read of the emulator', read);
    clearTimeout(busy);
    end();
    reads.push({ at, tookMs: performance.now() - at });
    await pause(READ_EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
  }
}

const line = z.object({ severity: z.string(), message: z.string(), error: z.string().optional() });

/** An error that a process logged, with its time from `performance.now()`. */
export interface LoggedError {
  readonly at: number;
  readonly words: string;
}

/** Collects the errors in the log of a process, except errors of requests, because the answers already show these. */
export class LogLines {
  readonly errors: LoggedError[] = [];
  lines = 0;
  #rest = '';

  take(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const text of lines) if (text.startsWith('{')) this.#read(text);
  }

  #read(text: string): void {
    this.lines += 1;
    const { severity, message, error } = line.parse(JSON.parse(text));
    if (severity !== 'ERROR' || message === 'request failed') return;
    this.errors.push({ at: performance.now(), words: error === undefined ? message : `${message}: ${error}` });
  }
}
