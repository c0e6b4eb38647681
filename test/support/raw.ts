import { once } from 'node:events';
import { connect } from 'node:net';
import { type Addresses, type Answer, readBody } from './client.ts';
import { refuseWhileCollecting } from './collecting.ts';
import { noteAnswer } from './seen.ts';

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
