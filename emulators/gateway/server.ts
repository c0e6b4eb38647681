import { Agent, createServer, type RequestListener } from 'node:http';
import { listen, portOf } from '../base/listen.ts';
import { forward } from './forward.ts';
import { LocalReply, makeRouting, type Operation, readTarget } from './routing.ts';

const REQUEST_BYTES = 32 * 1024 * 1024;
const HEAD_BYTES = 60 * 1024;

export interface Gateway {
  readonly port: number;
  /** Stops accepting requests. Gives requests in progress some seconds, then closes all connections. */
  stop(): Promise<void>;
}

/** Google's front end keeps idle connections for ten minutes. */
const IDLE_MS = 600_000;

/** A connection can also be open because its client never sends a whole request. */
const DRAIN_MS = 5_000;

interface GatewayOptions {
  /** The port on 127.0.0.1. 0 picks a free port. */
  readonly port: number;
  readonly operations: readonly Operation[];
  /** Returns the ID token for calls to functions with this audience. */
  readonly idToken: (audience: string) => Promise<string>;
}

/** Starts a gateway. Rejects with the code `EADDRINUSE` if the port is taken. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const findBackend = makeRouting(options.operations);
  const handle: RequestListener = async (message, response) => {
    try {
      const { method = '', headers, headersDistinct, httpVersion } = message;
      const hosts = headersDistinct.host?.length ?? 0;
      // Exactly one Host header is required (RFC 9112 section 3.2).
      if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) throw new LocalReply(400, 'Bad Request');
      const target = readTarget(message.url ?? '');
      const backend = findBackend(method, target.path);
      if (Number(headers['content-length']) > REQUEST_BYTES) throw new LocalReply(413, 'Payload Too Large');
      const idToken = await options.idToken(backend.audience);
      forward(message, response, { backend, target, idToken, agent });
    } catch (error) {
      const reply = error instanceof LocalReply ? error : new LocalReply(500, 'Internal Server Error');
      reply.send(response);
    }
  };
  const server = createServer(
    { maxHeaderSize: HEAD_BYTES, requireHostHeader: false, keepAliveTimeout: IDLE_MS },
    handle,
  );
  server.on('checkExpectation', handle);
  server.on('connect', (_, socket) => new LocalReply(404, 'Not Found').sendOn(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    (tooLarge ? new LocalReply(431, 'Request Header Fields Too Large') : new LocalReply(400, 'Bad Request')).sendOn(
      socket,
    );
  });
  await listen(server, options.port);
  return {
    port: portOf(server),
    stop: () =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
        server.close(() => {
          clearTimeout(force);
          agent.destroy();
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
