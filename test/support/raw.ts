import { once } from 'node:events';
import http, { request } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Addresses, type Answer, readBody } from './client.ts';
import { refuseWhileCollecting } from './collecting.ts';
import { noteAnswer } from './seen.ts';
import type { Client } from './tenant.ts';

/** An answer that is read from the socket itself. */
export interface RawAnswer extends Answer {
  /** The unparsed body. */
  readonly text: string;
}

/**
 * Sends a request whose method, target and header lines stay unchanged (`fetch` would normalize them). The service
 * reads only as much of `body` as `headers` announces.
 */
export function sendRaw(
  stack: Addresses,
  start: string,
  headers: readonly string[] = [],
  body: string = '',
): Promise<RawAnswer> {
  return sendBytes(stack, [`${start} HTTP/1.1`, 'host: 127.0.0.1', 'connection: close', ...headers, '', body]);
}

/** Sends exactly these lines. Throws an `Error` if the connection closes without an answer. */
export async function sendBytes(stack: Addresses, lines: readonly string[]): Promise<RawAnswer> {
  refuseWhileCollecting();
  const { hostname, port } = new URL(stack.baseUrl);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(lines.join('\r\n'), 'latin1');
  await once(socket, 'close');
  const answer = parse(Buffer.concat(chunks).toString());
  const [method = '', target = ''] = lines[0]?.split(' ') ?? [];
  noteAnswer(stack.baseUrl, method, target, answer);
  return answer;
}

function parse(received: string): RawAnswer {
  const end = received.indexOf('\r\n\r\n');
  const [start = '', ...fields] = received.slice(0, Math.max(end, 0)).split('\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(start) ?? [];
  if (status === undefined) throw new Error(`no answer: ${JSON.stringify(received)}`);
  const headers = new Headers(
    fields.map((field) => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1)]),
  );
  const text = received.slice(end + 4);
  return { status: Number(status), headers, text, body: readBody(headers, text) };
}

/** Posts JSON in chunks, without a content length. Returns the status of the answer. */
export function postChunked(client: Client, path: string, json: string, chunkBytes: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
  const outgoing = request(`${client.stack.baseUrl}${path}`, { method: 'POST', headers }, (incoming) => {
    incoming.resume();
    resolve(incoming.statusCode ?? 0);
  });
  // If the server answers before it has read the whole body, writing can fail. After `resolve`, `reject` has no effect.
  outgoing.on('error', reject);
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += chunkBytes) outgoing.write(bytes.subarray(at, at + chunkBytes));
  outgoing.end();
  return promise;
}

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
