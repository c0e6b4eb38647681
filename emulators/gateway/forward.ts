import { type Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Backend } from './document.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { LocalReply } from './local-reply.ts';
import type { Target } from './target.ts';

/** Passes a request on, and the answer back, neither of them held in memory. A function that is late or gone is a 504 or 503. */
export function forward(
  message: IncomingMessage,
  response: ServerResponse,
  to: { backend: Backend; target: Target; idToken: string; agent: Agent },
): void {
  const { backend, target, idToken, agent } = to;
  const address = new URL(backend.address);
  const outgoing = request({
    agent,
    host: address.hostname,
    port: address.port,
    method: message.method,
    path: `${target.path}${target.query}`,
    headers: requestHeaders(message, { host: address.host, idToken }),
  });
  const give = (reply: LocalReply): void => {
    outgoing.destroy();
    reply.send(response);
  };
  const deadline = setTimeout(() => give(new LocalReply(504, 'upstream request timeout')), backend.deadlineMs);
  response.once('close', () => {
    clearTimeout(deadline);
    outgoing.destroy();
  });

  outgoing.on('response', (answer) => {
    // The function may have answered without reading all that is still being sent.
    if (!message.complete) response.setHeader('connection', 'close');
    for (let at = 0, raw = responseHeaders(answer); at < raw.length; at += 2) {
      response.appendHeader(raw[at] ?? '', raw[at + 1] ?? '');
    }
    response.writeHead(answer.statusCode ?? 502);
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  });
  outgoing.on('error', () => {
    if (!response.headersSent) give(new LocalReply(503, 'upstream connect error or disconnect/reset before headers'));
  });
  message.pipe(outgoing);
}
