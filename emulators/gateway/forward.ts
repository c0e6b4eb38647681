import { type Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type Backend, LocalReply, type Target } from './routing.ts';

/** The size of the largest body that is kept for a second attempt. It is Envoy's default buffer limit. */
const KEPT_BYTES = 1024 * 1024;

interface Forwarding {
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

/** Headers that belong to a single connection (RFC 9110 section 7.6.1). The gateway drops them. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade'];
/** Headers of the caller that the gateway replaces or handles itself. */
const REWRITTEN = ['host', 'expect', 'authorization', 'x-forwarded-for', 'x-forwarded-proto'];

interface Destination {
  readonly host: string;
  readonly idToken: string;
}

type Header = readonly [name: string, value: string];

/**
 * Returns the headers for the request to the function, with names and values in turn. `X-Forwarded-Authorization`
 * contains the caller's credential. Throws a {@link LocalReply} of 400 if the name of a header contains an underscore.
 * Source: esp-v2, src/envoy/http/backend_auth/filter.cc and src/go/options/configgenerator.go
 */
function requestHeaders(message: IncomingMessage, to: Destination): string[] {
  const { headersDistinct, socket } = message;
  const received = pairs(message.rawHeaders);
  if (received.some(([name]) => name.includes('_'))) throw new LocalReply(400, 'Bad Request');
  const credentials = headersDistinct.authorization;
  const dropped = [...HOP_BY_HOP, ...REWRITTEN, ...(credentials === undefined ? [] : ['x-forwarded-authorization'])];
  const addresses = [...(headersDistinct['x-forwarded-for'] ?? []), socket.remoteAddress ?? ''];
  const headers: Header[] = [
    ['Host', to.host],
    ...received.filter(([name]) => !dropped.includes(name.toLowerCase())),
    ['Authorization', `Bearer ${to.idToken}`],
    ...(credentials === undefined ? [] : [['X-Forwarded-Authorization', credentials.join(',')] as const]),
    ['X-Forwarded-For', addresses.join(',')],
    ['X-Forwarded-Proto', 'http'],
    // Without this header, Node would send a chunked body.
    ...(hasBody(message) ? [] : [['Content-Length', '0'] as const]),
  ];
  return headers.flat();
}

/** Returns the headers for the answer to the caller, with names and values in turn. */
function responseHeaders(message: IncomingMessage): string[] {
  const dropped = [...HOP_BY_HOP, 'transfer-encoding'];
  return pairs(message.rawHeaders)
    .filter(([name]) => !dropped.includes(name.toLowerCase()))
    .flat();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function pairs(raw: readonly string[]): Header[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
