import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../base/log.ts';
import { ApiError, viewError } from '../errors.ts';
import { requestId } from './request-id.ts';
import { dropUnread } from './respond.ts';

/** Answers input that Node cannot parse as a request because it is malformed or too slow, or its head is too large. */
export function refuseUnparsed(server: Server, log: Log): void {
  /** The newest answer per connection: unparsable input may be the rest of the body of a request with this answer. */
  const newest = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (message, response) => {
    const { socket } = message;
    newest.set(socket, response);
    response.once('close', () => message.complete && newest.get(socket) === response && newest.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = newest.get(socket);
    // If the request of this body is already answered, the rest of the body is not a new request.
    const isAnswered = response?.headersSent === true && !response.req.complete;
    // Browsers open connections in advance. If a connection has never sent anything, close it without an answer.
    const isSilent = socket instanceof Socket && socket.bytesRead === 0;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered || isSilent) return void socket.destroy();
    const message = 'the request is not valid HTTP, its headers are too large, or it did not arrive in time';
    refuseOn(socket, new ApiError('invalid_request', message), log, error);
  });
}

/** Sends an error on a connection without a parsed request, and closes the connection. Logs the answer's request id. */
export function refuseOn(socket: Duplex, refusal: ApiError, log: Log, cause?: Error): void {
  const id = requestId(undefined);
  const body = JSON.stringify(viewError(refusal, id));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    'connection: close',
  ];
  // After CONNECT, Node no longer handles errors of the connection. A reset by the client would end the process.
  socket.on('error', () => undefined);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  dropUnread(socket, socket);
  log.write('request refused before routing', { request_id: id, status: refusal.status, code: refusal.code }, cause);
}
