import { createConnection, createServer, type Socket } from 'node:net';
import { listen, portOf } from '../base/listen.ts';
import { DelayLine } from './delay-line.ts';

/** A fault. `down` resets connections. A delay slows down the data that clients send. `null` means no fault. */
export type Fault = 'down' | { readonly delay_ms: number } | null;

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
