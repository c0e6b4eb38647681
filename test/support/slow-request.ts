import http from 'node:http';
import { json } from 'node:stream/consumers';
import type { Addresses, Answer } from './client.ts';
import { refuseWhileCollecting } from './collecting.ts';

/** A request whose body was sent in part. */
export interface SlowRequest {
  /** Sends the rest of the body. */
  finish(): void;
  /** Resolves to the answer. Rejects if the connection breaks first. */
  readonly answer: Promise<Answer>;
  /** Resolves when the connection has been closed. */
  readonly closed: Promise<void>;
  /** Closes the connection without finishing the request. */
  abandon(): void;
}

/** The optional parts of a slow request. */
interface Slow {
  readonly token?: string | undefined;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The local address of the connection. */
  readonly localAddress?: string;
}

/** Sends the head of a request and the first half of its body on a new connection. */
export function sendHalf(stack: Addresses, method: string, path: string, slow: Slow): SlowRequest {
  refuseWhileCollecting();
  const { token, body, localAddress } = slow;
  const bytes = Buffer.from(body);
  const headers = {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...slow.headers,
  };
  const options = { method, headers, agent: false, ...(localAddress !== undefined && { localAddress }) };
  const request = http.request(`${stack.baseUrl}${path}`, options);
  const answer = Promise.withResolvers<Answer>();
  const closed = Promise.withResolvers<void>();
  // The server may answer and close the connection before it has read the rest of the body.
  request.on('error', answer.reject).on('close', closed.resolve);
  request.on('response', (response) => {
    const plain = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const read = async () => ({
      status: response.statusCode ?? 0,
      headers: new Headers(plain),
      body: await json(response),
    });
    read().then(answer.resolve, answer.reject);
  });
  answer.promise.catch(() => undefined);
  const half = Math.ceil(bytes.length / 2);
  request.write(bytes.subarray(0, half));
  return {
    finish: () => void request.end(bytes.subarray(half)),
    answer: answer.promise,
    closed: closed.promise,
    abandon: () => void request.destroy(),
  };
}
