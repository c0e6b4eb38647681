import { type Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Backend } from './document.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { LocalReply } from './local-reply.ts';
import type { Target } from './target.ts';

/** How much of a body is kept to send it again: Envoy's limit of a buffer. */
const keptBytes = 1024 * 1024;

/**
 * Passes a request on, and the answer back, as they come. When the connection to the function fails before an answer the
 * request is sent once more, whatever its method. A function that is late or gone is a 504 or 503.
 */
export function forward(
  message: IncomingMessage,
  response: ServerResponse,
  to: { backend: Backend; target: Target; idToken: string; agent: Agent },
): void {
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

/** Keeps what has come of a body so far; `undefined` once that is too much. */
function keepStart(message: IncomingMessage): () => readonly Buffer[] | undefined {
  let kept: Buffer[] | undefined = [];
  let length = 0;
  message.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > keptBytes) kept = undefined;
    kept?.push(chunk);
  });
  return () => kept;
}
