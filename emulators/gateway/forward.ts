import { type Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Backend } from './document.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { LocalReply } from './local-reply.ts';
import type { Target } from './target.ts';

/** How much of a body is buffered for the second attempt: Envoy's default buffer limit. */
const KEPT_BYTES = 1024 * 1024;

/** Where a request is forwarded to, and with what. */
export interface Forwarding {
  readonly backend: Backend;
  readonly target: Target;
  readonly idToken: string;
  readonly agent: Agent;
}

/**
 * Streams a request to a function and the answer back. When the connection to the function fails before an answer, the
 * request is sent once more, whatever its method. A function that cannot be reached is answered 503, a late one 504.
 */
export function forward(message: IncomingMessage, response: ServerResponse, to: Forwarding): void {
  const { backend, target, idToken, agent } = to;
  const address = new URL(backend.address);
  const options = {
    agent,
    host: address.hostname,
    port: address.port,
    method: message.method,
    path: `${target.path}${target.query}`,
    headers: requestHeaders(message, { host: address.host, idToken }),
  };
  const startOfBody = keepStart(message);

  const send = (isLast: boolean): ClientRequest => {
    const outgoing = request(options);
    outgoing.on('response', (answer) => passBack(message, answer, response));
    outgoing.on('error', () => {
      if (response.headersSent || response.destroyed) return;
      const start = startOfBody();
      if (isLast || start === undefined) {
        new LocalReply(503, 'upstream connect error or disconnect/reset before headers').send(response);
        return;
      }
      current = send(true);
    });
    for (const chunk of startOfBody() ?? []) outgoing.write(chunk);
    message.pipe(outgoing);
    return outgoing;
  };
  let current = send(false);

  const deadline = setTimeout(() => new LocalReply(504, 'upstream request timeout').send(response), backend.deadlineMs);
  response.once('close', () => {
    clearTimeout(deadline);
    current.destroy();
  });
}

function passBack(message: IncomingMessage, answer: IncomingMessage, response: ServerResponse): void {
  // The function may have answered without reading all that is still being sent.
  if (!message.complete) response.setHeader('connection', 'close');
  for (let at = 0, raw = responseHeaders(answer); at < raw.length; at += 2) {
    response.appendHeader(raw[at] ?? '', raw[at + 1] ?? '');
  }
  response.writeHead(answer.statusCode ?? 502);
  answer.pipe(response);
  answer.once('error', () => response.destroy());
}

/**
 * Buffers a body as it arrives. Returns what reads the buffer: `undefined` once the body is larger than {@link
 * KEPT_BYTES}.
 */
function keepStart(message: IncomingMessage): () => readonly Buffer[] | undefined {
  let kept: Buffer[] | undefined = [];
  let length = 0;
  message.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > KEPT_BYTES) kept = undefined;
    kept?.push(chunk);
  });
  return () => kept;
}
