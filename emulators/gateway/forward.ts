import { type Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Backend } from './document.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { LocalReply } from './local-reply.ts';
import type { Target } from './target.ts';

/** The size of the largest body that is kept for a second attempt. It is Envoy's default buffer limit. */
const KEPT_BYTES = 1024 * 1024;

export interface Forwarding {
  readonly backend: Backend;
  readonly target: Target;
  readonly idToken: string;
  readonly agent: Agent;
}

/**
 * Streams a request to a function, and the answer back to the caller. If the connection fails before an answer, retries
 * once, for any method. Answers 503 if the function cannot be reached, and 504 after the deadline.
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
  // The function has answered although it has not read the whole body. The client's connection still holds the rest of
  // the body, so do not reuse it.
  if (!message.complete) response.setHeader('connection', 'close');
  for (let at = 0, raw = responseHeaders(answer); at < raw.length; at += 2) {
    response.appendHeader(raw[at] ?? '', raw[at + 1] ?? '');
  }
  response.writeHead(answer.statusCode ?? 502);
  answer.pipe(response);
  answer.once('error', () => response.destroy());
}

/**
 * Starts to buffer the body. Returns a function that returns the chunks so far, or `undefined` if there are more than
 * {@link KEPT_BYTES}.
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
