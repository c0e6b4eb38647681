import { createConnection, createServer, type Socket } from 'node:net';
import { z } from 'zod';
import { listen, portOf } from '../base/listen.ts';
import { StartError } from '../base/start-error.ts';
import type { Ports } from './ports.ts';

/** A fault. `down` resets connections. A delay slows down the data that clients send. `null` means no fault. */
const fault = z.union([z.literal('down'), z.strictObject({ delay_ms: z.int().min(0).max(600_000) }), z.null()]);
type Fault = z.output<typeof fault>;

/**
 * A fault that open connections do not survive, although they stay open: they drop all data (`silent`) or all answers
 * (`silent answers`), for ever. With `silent connects`, connections that begin during the fault also drop all data.
 */
export type Silence = 'silent' | 'silent answers' | 'silent connects';

export interface FaultProxy {
  readonly port: number;
  /** Sets the fault, for open and for new connections. */
  set(fault: Fault | Silence): void;
  /** Forwards new connections to another server. Resets open connections. */
  retarget(server: ProxyTarget): void;
  /** Returns the number of bytes that clients have sent so far. */
  sentBytes(): number;
  stop(): Promise<void>;
}

export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

interface Link {
  apply(): void;
  reset(): void;
}

/** Starts a proxy on a free port of 127.0.0.1. */
export async function startFaultProxy(server: ProxyTarget): Promise<FaultProxy> {
  let target = server;
  const links = new Set<Link>();
  let fault: Fault | Silence = null;
  let sentBytes = 0;

  const connect = (client: Socket): void => {
    const server = createConnection({ ...target, allowHalfOpen: true, noDelay: true });
    const line = new DelayLine(server, () => (typeof fault === 'object' && fault !== null ? fault.delay_ms : 0));
    let silence: Silence | undefined = fault === 'silent connects' ? fault : undefined;
    const reset = (): void => {
      line.drop();
      links.delete(link);
      client.resetAndDestroy();
      server.destroy();
    };
    const apply = (): void => {
      if (fault === 'down') reset();
      else if (typeof fault === 'string') silence ??= fault;
      line.flush();
    };
    const link: Link = { apply, reset };
    links.add(link);

    const dropsRequests = () => silence !== undefined && silence !== 'silent answers';
    client.on('data', (chunk: Buffer) => {
      sentBytes += chunk.length;
      if (dropsRequests()) return;
      if (!line.push(chunk)) client.pause();
    });
    client.once('end', () => silence ?? line.push(null));
    server.on('drain', () => client.resume());
    server.on('data', (chunk: Buffer) => {
      if (silence !== undefined) return;
      if (!client.write(chunk)) server.pause();
    });
    server.once('end', () => silence ?? client.end());
    client.on('drain', () => server.resume());

    client.on('error', reset);
    server.on('error', () => silence ?? reset());
    client.once('close', () => {
      links.delete(link);
      line.drop();
      server.destroy();
    });
    server.once('close', () => silence ?? client.end());
  };

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (fault === 'down') client.resetAndDestroy();
    else connect(client);
  });
  await listen(listener, 0);
  return {
    port: portOf(listener),
    set(next) {
      fault = next;
      for (const link of [...links]) link.apply();
    },
    retarget(next) {
      target = next;
      for (const link of [...links]) link.reset();
    },
    sentBytes: () => sentBytes,
    stop: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const link of [...links]) link.reset();
      }),
  };
}

interface DelayedChunk {
  /** The data to forward. `null` marks the end of the stream. */
  readonly chunk: Buffer | null;
  /** The time at which to forward the chunk, on the monotonic clock. */
  readonly dueMs: number;
}

/**
 * Forwards chunks to a socket in order, with a delay. Each chunk waits for the delay that applied when the chunk
 * arrived.
 */
class DelayLine {
  readonly #socket: Socket;
  readonly #delayMs: () => number;
  #queue: DelayedChunk[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, delayMs: () => number) {
    this.#socket = socket;
    this.#delayMs = delayMs;
  }

  /** Accepts a chunk, or `null` for the end of the stream. Returns false if the socket's buffer is full. */
  push(chunk: Buffer | null): boolean {
    const delayMs = this.#delayMs();
    if (delayMs === 0 && this.#queue.length === 0) return this.#pass(chunk);
    this.#queue.push({ chunk, dueMs: performance.now() + delayMs });
    this.#timer ??= setTimeout(() => this.#passDue(), delayMs);
    return true;
  }

  flush(): void {
    const queue = this.#queue;
    this.drop();
    for (const { chunk } of queue) this.#pass(chunk);
  }

  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#queue = [];
  }

  #pass(chunk: Buffer | null): boolean {
    if (chunk !== null) return this.#socket.write(chunk);
    this.#socket.end();
    return true;
  }

  #passDue(): void {
    this.#timer = undefined;
    const now = performance.now();
    while (this.#queue[0] !== undefined && this.#queue[0].dueMs <= now) this.#pass(this.#queue.shift()?.chunk ?? null);
    const [next] = this.#queue;
    if (next !== undefined) this.#timer = setTimeout(() => this.#passDue(), Math.max(0, next.dueMs - now));
  }
}

export const PROXIED_PARTS = ['kms', 'pdp', 'idp', 'stripe', 'firestore'] as const;
export type ProxiedPart = (typeof PROXIED_PARTS)[number];

/** The faults of all parts. With `audit_rows`, Firestore refuses commits of audit rows. */
export const faultsOfParts = z.strictObject({
  kms: fault,
  pdp: fault,
  idp: fault,
  stripe: fault,
  firestore: fault,
  audit_rows: z.literal('down').nullable(),
});
export type Faults = z.output<typeof faultsOfParts>;

export const NO_FAULTS: Faults = { kms: null, pdp: null, idp: null, stripe: null, firestore: null, audit_rows: null };

export type Proxies = Record<ProxiedPart, FaultProxy>;

/**
 * Starts the fault proxies. `firestore` is a `host:port` and not a port, because Firestore can run on another machine.
 */
export async function startProxies(ports: Ports, firestore: string): Promise<Proxies> {
  const [kms, pdp, idp, stripe, store] = await Promise.all([
    startFaultProxy({ host: '127.0.0.1', port: ports.kms }),
    startFaultProxy({ host: '127.0.0.1', port: ports.policy }),
    startFaultProxy({ host: '127.0.0.1', port: ports.identity }),
    startFaultProxy({ host: '127.0.0.1', port: ports.stripe }),
    startFaultProxy(targetOf(firestore)),
  ]);
  return { kms, pdp, idp, stripe, firestore: store };
}

export async function stopProxies(proxies: Proxies): Promise<void> {
  await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
}

/** Parses an address of Firestore, `host:port`. Throws {@link StartError} if it is invalid. */
export function targetOf(address: string): ProxyTarget {
  const [, ipv6, host = ipv6, port] = /^(?:\[([\da-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(address) ?? [];
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new StartError(`FIRESTORE_EMULATOR_HOST must be host:port, such as 127.0.0.1:8085, and not ${address}`);
}
