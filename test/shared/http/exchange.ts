import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type RequestListener, request } from 'node:http';
import { expect } from 'vitest';
import { z } from 'zod';
import { InFlight } from '../../../shared/auth/in-flight.ts';
import { jsonBody } from '../../../shared/http/body.ts';
import { type Request, singleHeader } from '../../../shared/http/request.ts';

/** A request as a client sends it. Without a `content-length` header the body is chunked. */
export interface Sent {
  /** An object, or a list of alternating names and values, which can send a header twice. */
  readonly headers?: OutgoingHttpHeaders | readonly string[];
  readonly body?: readonly (string | Uint8Array)[];
  /** Whether the client never ends the body. */
  readonly unfinished?: boolean;
}

/** Runs `use` with the port of a server that answers with `listener`. Returns the result of `use`. */
export async function withServer<T>(listener: RequestListener, use: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  try {
    return await use(address.port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Sends a request over a socket and returns the result of `read`. `hangUp` closes the client’s connection. */
export function readSent<T>(
  { headers = {}, body = [], unfinished = false }: Sent,
  read: (message: IncomingMessage, hangUp: () => void) => T | Promise<T>,
): Promise<T> {
  const outcome = Promise.withResolvers<T>();
  const hungUp = Promise.withResolvers<void>();
  const listener: RequestListener = (message) => {
    Promise.try(read, message, hungUp.resolve).then(outcome.resolve, outcome.reject);
  };
  return withServer(listener, async (port) => {
    const client = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false });
    // A server can refuse an upload before the upload ends, which is an error for the client.
    client.on('error', () => undefined);
    void hungUp.promise.then(() => client.destroy());
    for (const chunk of body) client.write(chunk);
    if (unfinished) client.flushHeaders();
    else client.end();
    try {
      return await outcome.promise;
    } finally {
      client.destroy();
    }
  });
}

/** Returns a request as the service’s routes receive it. */
export function asRequest(message: IncomingMessage, { query = '', pathId = '' } = {}): Request {
  const authorization = singleHeader(message, 'authorization');
  const clientAddress = message.socket.remoteAddress;
  const ended = once(message.socket, 'close').then(() => undefined);
  return {
    id: 'request-1',
    query,
    pathId,
    message,
    authorization,
    clientAddress,
    inFlight: new InFlight(),
    turns: new Map(),
    ended,
  };
}

const shape = z.object({ value: z.string(), note: z.string().nullish() });

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Reads a request as a route with the field `value` and the optional field `note`. */
export function readJson(sent: Sent): Promise<z.output<typeof shape>> {
  return readSent(sent, (message) => jsonBody(shape).read(asRequest(message)));
}

/** Reads these bytes as the JSON body of the same route as `readJson`. */
export function parse(...body: (string | Uint8Array)[]): Promise<z.output<typeof shape>> {
  return readJson({ headers: JSON_TYPE, body });
}

/** Returns a matcher for an error with this code and message. */
export function refusal(code: string, message: string | RegExp): unknown {
  return expect.objectContaining({ code, message: expect.stringMatching(message) });
}

/** Matches the error for a malformed body. */
export const malformed = refusal('invalid_request', /^invalid request body: ./);
