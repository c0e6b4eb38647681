import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type ApiError, viewError } from '../errors.ts';
import type { Reply } from './route.ts';

/** Writes a reply; to `HEAD` the same without the body. */
export function sendReply(message: IncomingMessage, response: ServerResponse, requestId: string, reply: Reply): void {
  const json = reply.body === undefined ? undefined : Buffer.from(JSON.stringify(reply.body));
  const headers: OutgoingHttpHeaders = { 'x-request-id': requestId, 'cache-control': 'no-store' };
  if (json !== undefined) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = json.length;
  }
  response.writeHead(reply.status, headers);
  response.end(message.method === 'HEAD' ? undefined : json);
}

/** Writes an error. An upload that is refused for its size is not read to its end: the connection closes instead. */
export function sendError(
  message: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  error: ApiError,
): void {
  if (error.details.allow !== undefined) response.setHeader('allow', error.details.allow.join(', '));
  if (error.code === 'payload_too_large') response.setHeader('connection', 'close');
  sendReply(message, response, requestId, { status: error.status, body: viewError(error, requestId) });
}
