import type { EventEmitter } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DEADLINES_MS } from '../deadlines.ts';
import type { ApiError } from '../errors.ts';
import { type Dialect, NATIVE } from './dialect.ts';
import type { BinaryFields, Reply } from './route.ts';

/** Sends a reply as JSON, as plain text or without a body. `HEAD` gets only the headers. */
export function sendReply(
  message: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  reply: Reply,
): Promise<void> | undefined {
  if (reply.pieces !== undefined) return sendPieces(message, response, requestId, reply.status, reply.pieces);
  const body = render(reply);
  const headers = headersOf(requestId);
  if (body !== undefined) {
    headers['content-type'] = reply.text === undefined ? 'application/json' : 'text/plain';
    headers['content-length'] = Buffer.byteLength(body.text, body.encoding);
  }
  if (reply.next !== undefined) headers.link = `<${reply.next}>; rel="next"`;
  response.writeHead(reply.status, headers);
  if (body === undefined || message.method === 'HEAD') response.end();
  // A string, because Node sends it together with the head, but a buffer in a second write.
  else response.end(body.text, body.encoding);
  if (response.writableLength > 0) dropUnread(message.socket, response);
  return undefined;
}

/** Resolves once the client has read the answer or has disconnected. An error destroys the connection. */
async function sendPieces(
  message: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  status: number,
  pieces: AsyncGenerator<string>,
): Promise<void> {
  response.writeHead(status, { ...headersOf(requestId), 'content-type': 'application/json' });
  if (message.method === 'HEAD') {
    // A generator that has not begun would not run its `finally`.
    await pieces.next();
    await pieces.return(undefined);
    response.end();
    return;
  }
  dropUnread(message.socket, response, DEADLINES_MS.report);
  try {
    await pipeline(pieces, response);
  } catch (error) {
    if (!isDisconnected(error)) throw error;
  }
}

function headersOf(requestId: string): OutgoingHttpHeaders {
  return { 'x-request-id': requestId, 'cache-control': 'no-store' };
}

/** Whether the client disconnected before the end of the answer. */
function isDisconnected(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Destroys the connection if the client reads too slowly. `answer` emits `close` once it has been read. */
export function dropUnread(socket: Duplex, answer: EventEmitter, afterMs: number = DEADLINES_MS.answer): void {
  const late = setTimeout(() => socket.destroy(), afterMs);
  answer.once('close', () => clearTimeout(late));
}

function render({ body, binary, json, text }: Reply): { text: string; encoding: 'utf8' | 'latin1' } | undefined {
  if (binary !== undefined) return { text: renderBinary(binary), encoding: 'latin1' };
  if (text !== undefined) return { text, encoding: 'utf8' };
  if (json !== undefined) return { text: json, encoding: 'utf8' };
  return body === undefined ? undefined : { text: JSON.stringify(body), encoding: 'utf8' };
}

/** Renders the fields without `JSON.stringify`, which would slowly search for characters to escape. Base64 has none. */
function renderBinary(fields: BinaryFields): string {
  const present = Object.entries(fields).filter(([, base64]) => base64 !== undefined);
  return `{${present.map(([name, base64]) => `"${name}":"${base64}"`).join(',')}}`;
}

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
  // RFC 9110 §11.6.1 and RFC 6750 §3.
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  sendReply(message, response, requestId, { status, body: dialect.view(error, requestId) });
}
