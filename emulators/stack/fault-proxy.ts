import { createConnection, createServer, type Socket } from 'node:net';
import { listen, portOf } from '../base/listen.ts';
import { DelayLine } from './delay-line.ts';

/** A fault. `down` resets connections. A delay slows down the data that clients send. `null` means no fault. */
export type Fault = 'down' | { readonly delay_ms: number } | null;

export interface FaultProxy {
  readonly port: number;
  /** Sets the fault, for open and for new connections. */
  set(fault: Fault): void;
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
  let fault: Fault = null;
  let sentBytes = 0;

  const connect = (client: Socket): void => {
    const server = createConnection({ ...target, allowHalfOpen: true, noDelay: true });
    const line = new DelayLine(server, () => (fault !== null && fault !== 'down' ? fault.delay_ms : 0));
    const reset = (): void => {
      line.drop();
      links.delete(link);
      client.resetAndDestroy();
      server.destroy();
    };
    const link: Link = { apply: () => (fault === 'down' ? reset() : line.flush()), reset };
    links.add(link);

    client.on('data', (chunk: Buffer) => {
      sentBytes += chunk.length;
      if (!line.push(chunk)) client.pause();
    });
    client.once('end', () => line.push(null));
    server.on('drain', () => client.resume());
    server.on('data', (chunk: Buffer) => {
      if (!client.write(chunk)) server.pause();
    });
    server.once('end', () => client.end());
    client.on('drain', () => server.resume());

    for (const socket of [client, server]) socket.on('error', reset);
    client.once('close', () => {
      links.delete(link);
      line.drop();
      server.destroy();
    });
    server.once('close', () => client.end());
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
