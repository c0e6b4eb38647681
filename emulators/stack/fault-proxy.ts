import { createConnection, createServer, type Socket } from 'node:net';
import { makeDelayLine } from './delay-line.ts';
import { listen, portOf } from './listen.ts';

/** What is wrong with a connection: nothing answers, what is sent arrives late, or (`null`) nothing. */
export type Fault = 'down' | { readonly delay_ms: number } | null;

/** Stands between a client and a server, so that a fault is met where a real one is: on the wire. */
export type FaultProxy = {
  /** The port to give to the client. */
  readonly port: number;
  /** Applies to open connections and to new ones. */
  readonly set: (fault: Fault) => void;
  /** Bytes that clients have sent so far. */
  readonly sentBytes: () => number;
  readonly stop: () => Promise<void>;
};

type Link = { readonly apply: () => void; readonly cut: () => void };

/** Starts a proxy on a free port of 127.0.0.1 before the server at the given address. */
export async function startFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const links = new Set<Link>();
  let fault: Fault = null;
  let sentBytes = 0;

  const connect = (client: Socket): void => {
    const server = createConnection({ ...target, allowHalfOpen: true, noDelay: true });
    const line = makeDelayLine(server, () => (fault !== null && fault !== 'down' ? fault.delay_ms : 0));
    const cut = (): void => {
      line.drop();
      links.delete(link);
      client.resetAndDestroy();
      server.destroy();
    };
    const link: Link = { apply: () => (fault === 'down' ? cut() : line.flush()), cut };
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

    for (const socket of [client, server]) socket.on('error', cut);
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
    set: (next) => {
      fault = next;
      for (const link of [...links]) link.apply();
    },
    sentBytes: () => sentBytes,
    stop: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const link of [...links]) link.cut();
      }),
  };
}
