import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../base/log.ts';
import { ApiError } from '../errors.ts';
import { type Dialect, dialectOf, NATIVE } from './dialect.ts';
import { requestId } from './request-id.ts';
import { dropUnread } from './respond.ts';

/** The most bytes of a request that are searched for the end of its first line. */
const LINE_BYTES = 1_024;

/** Answers input that Node cannot parse as a request because it is malformed or too slow, or its head is too large. */
export function refuseUnparsed(server: Server, log: Log, dialects: readonly Dialect[]): void {
  /** The newest answer per connection: unparsable input may be the rest of the body of a request with this answer. */
  const newest = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (message, response) => {
    const { socket } = message;
    newest.set(socket, response);
    response.once('close', () => message.complete && newest.get(socket) === response && newest.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket) => {
    const response = newest.get(socket);
    // If the request of this body is already answered, the rest of the body is not a new request.
    const isAnswered = response?.headersSent === true && !response.req.complete;
    // Browsers open connections in advance. If a connection has never sent anything, close it without an answer.
    const isSilent = socket instanceof Socket && socket.bytesRead === 0;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered || isSilent) return void socket.destroy();
    const [method = '', path = ''] = startOf(error.rawPacket);
    const dialect = dialectOf(dialects, path);
    const message = 'the request is not valid HTTP, its headers are too large, or it did not arrive in time';
    const refusal = dialect.unreadable?.(method) ?? new ApiError('invalid_request', message);
    refuseOn(socket, refusal, log, { cause: error, dialect });
  });
}

/** Returns the method and the path of a request's first line, if the packet begins with one. */
function startOf(packet: Buffer | undefined): string[] {
  const [line = ''] = (packet ?? Buffer.alloc(0)).subarray(0, LINE_BYTES).toString('latin1').split('\r\n', 1);
  return line.split(' ', 2);
}

/** Sends an error on a connection without a parsed request, and closes the connection. Logs the answer's request id. */
export function refuseOn(
  socket: Duplex,
  refusal: ApiError,
  log: Log,
  { cause, dialect = NATIVE }: { readonly cause?: Error; readonly dialect?: Dialect } = {},
): void {
  const id = requestId(undefined);
  const body = JSON.stringify(dialect.view(refusal, id));
  const status = dialect.statusOf(refusal.code);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    'connection: close',
    ...(refusal.details.allow === undefined ? [] : [`allow: ${refusal.details.allow.join(', ')}`]),
  ];
  // After CONNECT, Node no longer handles errors of the connection. A reset by the client would end the process.
  socket.on('error', () => undefined);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  dropUnread(socket, socket);
  log.write('request refused before routing', { request_id: id, status, code: refusal.code }, cause);
}
