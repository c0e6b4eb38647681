import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { z } from 'zod';

/**
 * Returns the function to call for a method and a path. Throws a {@link LocalReply} of 404 or 405 if no operation
 * matches.
 */
type Routing = (method: string, path: string) => Backend;

/**
 * Makes a routing by path templates (https://docs.cloud.google.com/api-gateway/docs/path-templating). The most specific
 * template with the right method wins (esp-v2, src/go/configgenerator/route_generator.go).
 */
export function makeRouting(operations: readonly Operation[]): Routing {
  const ordered = operations
    .toSorted((one, other) => compare(one.template, other.template))
    .map((operation) => ({ ...operation, pattern: patternOf(operation.template) }));
  return (method, path) => {
    const matching = ordered.filter(({ pattern }) => pattern.test(path));
    const found = matching.find((operation) => operation.method === method);
    if (found !== undefined) return found.backend;
    const [known] = matching;
    if (known === undefined) throw new LocalReply(404, 'The current request is not defined by this API.');
    throw new LocalReply(
      405,
      `The current request is matched to the defined url template "${known.template}" but its http method is not allowed`,
    );
  };
}

/**
 * Returns a pattern for a path template. `{name}` and `{name=*}` match one segment, and `{name=**}` matches any number
 * of segments. A trailing slash is ignored.
 */
function patternOf(template: string): RegExp {
  const segments = template.split('/').map((segment) => {
    const patterns = [RegExp.escape(segment), '[^/]+', '.*'];
    return patterns[wildness(segment)];
  });
  return new RegExp(`^${segments.join('/')}/?$`);
}

function wildness(segment: string): 0 | 1 | 2 {
  if (!segment.startsWith('{')) return 0;
  return segment.endsWith('=**}') ? 2 : 1;
}

function compare(one: string, other: string): number {
  const others = other.split('/').map(wildness);
  for (const [at, segment] of one.split('/').map(wildness).entries()) {
    const difference = segment - (others[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const UNRESERVED = /^[A-Za-z0-9._~-]$/;

/** A request target. `query` includes the question mark. */
export type Target = { readonly path: string; readonly query: string };

/**
 * Parses and normalizes a request target as Envoy does under ESPv2. Decodes escaped unreserved characters (RFC 3986
 * section 6.2.2), but not escaped slashes. Throws a {@link LocalReply} of 400 if the target has a fragment or no path.
 */
export function readTarget(target: string): Target {
  const bad = new LocalReply(400, 'Bad Request');
  if (target.includes('#')) throw bad;
  const [path = '', ...rest] = target.split('?');
  const query = target.includes('?') ? `?${rest.join('?')}` : '';
  const plain = path.replace(/^https?:\/\/[^/]+(\/|$)/i, '/').replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return UNRESERVED.test(character) ? character : escaped;
  });
  if (!plain.startsWith('/')) throw bad;
  return { path: new URL(`http://gateway${plain}`).pathname.replace(/\/{2,}/g, '/'), query };
}

export interface Backend {
  /** The origin of the function, such as `https://host`. */
  readonly address: string;
  /** The audience (`aud`) of the gateway's ID token for the function. */
  readonly audience: string;
  readonly deadlineMs: number;
}

export interface Operation {
  readonly method: string;
  readonly template: string;
  readonly backend: Backend;
}

const PLACEHOLDER = /\$\{([a-z]+)\}/g;

const backend = z
  .object({
    address: z.url({ protocol: /^https?$/ }),
    jwt_audience: z.string(),
    path_translation: z.literal('APPEND_PATH_TO_ADDRESS'),
    deadline: z.number().positive(),
  })
  .transform(
    ({ address, jwt_audience, deadline }): Backend => ({
      address,
      audience: jwt_audience,
      deadlineMs: deadline * 1000,
    }),
  );

const document = z.object({
  swagger: z.literal('2.0'),
  paths: z.record(z.string(), z.record(z.string(), z.object({ 'x-google-backend': backend }))),
});

export function functionsOf(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/**
 * Returns the operations of the gateway's document. Replaces the placeholders in the document with the functions'
 * addresses. Throws if the document uses an unsupported feature.
 */
export function readOperations(text: string, addresses: Readonly<Record<string, string>>): Operation[] {
  const filled = text.replaceAll(PLACEHOLDER, (unknown, name: string) => addresses[name] ?? unknown);
  return Object.entries(document.parse(JSON.parse(filled)).paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template,
      backend: operation['x-google-backend'],
    })),
  );
}

/** An error answer from the gateway itself. Clients see its message. */
export class LocalReply extends Error {
  override name = 'LocalReply';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** Sends the answer. If another answer has already started, closes the connection instead. */
  send(response: ServerResponse): void {
    if (response.headersSent) return void response.destroy();
    // The gateway does not read the rest of the request's body, so the connection cannot be reused.
    if (!response.req.complete) response.setHeader('connection', 'close');
    const body = this.#body();
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    response.writeHead(this.status, headers).end(body);
  }

  /** Sends the answer on a connection whose request could not be parsed, then closes the connection. */
  sendOn(socket: Duplex): void {
    const body = this.#body();
    // After CONNECT, Node no longer handles errors of the connection, such as a reset by the client.
    socket.on('error', () => undefined);
    const head = `HTTP/1.1 ${this.status} ${STATUS_CODES[this.status]}\r\ncontent-type: application/json\r\n`;
    socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
  }

  #body(): string {
    return JSON.stringify({ code: this.status, message: this.message });
  }
}
