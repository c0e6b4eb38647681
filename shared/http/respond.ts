import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ApiError } from '../errors.ts';
import { type Dialect, NATIVE } from './dialect.ts';
import type { BinaryFields, Reply } from './route.ts';

/** Writes a reply; to `HEAD` the same without the body. */
export function sendReply(message: IncomingMessage, response: ServerResponse, requestId: string, reply: Reply): void {
  const body = reply.text === undefined ? renderJson(reply) : Buffer.from(reply.text);
  const headers: OutgoingHttpHeaders = { 'x-request-id': requestId, 'cache-control': 'no-store' };
  if (body !== undefined) {
    headers['content-type'] = reply.text === undefined ? 'application/json' : 'text/plain';
    headers['content-length'] = body.length;
  }
  // RFC 8288
  if (reply.next !== undefined) headers.link = `<${reply.next}>; rel="next"`;
  response.writeHead(reply.status, headers);
  response.end(message.method === 'HEAD' ? undefined : body);
}

function renderJson({ body, binary }: Reply): Buffer | undefined {
  if (binary !== undefined) return renderBinary(binary);
  return body === undefined ? undefined : Buffer.from(JSON.stringify(body));
}

/** `JSON.stringify` would look for what is to be escaped, which takes four times as long as all the rest and is never in base64. */
function renderBinary(fields: BinaryFields): Buffer {
  const present = Object.entries(fields).filter(([, base64]) => base64 !== undefined);
  return Buffer.from(`{${present.map(([name, base64]) => `"${name}":"${base64}"`).join(',')}}`, 'latin1');
}

/** Writes an error, in the dialect of its path. */
export function sendError(
  message: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  error: ApiError,
  dialect: Dialect = NATIVE,
): void {
  if (error.details.allow !== undefined) response.setHeader('allow', error.details.allow.join(', '));
  if (error.details.closes) response.setHeader('connection', 'close');
  const status = dialect.statusOf(error.code);
  sendReply(message, response, requestId, { status, body: dialect.view(error, requestId) });
}
