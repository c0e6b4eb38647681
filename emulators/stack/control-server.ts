import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { listen, urlOf } from '../base/listen.ts';

/** An error answer of the control API. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: 400 | 403 | 404;

  constructor(status: 400 | 403 | 404, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ControlRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Handles a request. `input` is the JSON body of a POST or the query of a GET. Can throw {@link Refusal}. */
  handle(input: unknown): Promise<unknown>;
}

/** Returns a route that parses its input with a schema. The answer to invalid input is a 400. */
export function controlRoute<Input>(
  method: 'GET' | 'POST',
  path: string,
  schema: z.ZodType<Input>,
  handle: (input: Input) => Promise<unknown>,
): ControlRoute {
  return {
    method,
    path,
    handle(input) {
      const parsed = schema.safeParse(input);
      if (!parsed.success) throw new Refusal(400, describe(parsed.error));
      return handle(parsed.data);
    },
  };
}

function describe(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ');
}

/** Serves the routes on 127.0.0.1, and returns the server. Rejects with the code `EADDRINUSE` if the port is taken. */
export async function startControl(port: number, routes: readonly ControlRoute[]): Promise<Server> {
  const server = createServer((request, response) => {
    answer(routes, request, response).catch((error: unknown) => {
      const status = error instanceof Refusal ? error.status : 500;
      send(response, status, { error: error instanceof Error ? error.message : String(error) });
    });
  });
  await listen(server, port);
  return server;
}

async function answer(
  routes: readonly ControlRoute[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { host = '', origin } = request.headers;
  // A web page must not reach the API, neither directly nor under another host name (DNS rebinding).
  if (!isOfThisMachine(`http://${host}`, request) || (origin !== undefined && !isOfThisMachine(origin))) {
    throw new Refusal(403, 'the control API is only for programs on this machine: use 127.0.0.1 or localhost');
  }
  const url = urlOf(request);
  if (url === null) throw new Refusal(400, 'the request target is not a URL');
  const here = routes.filter(({ path }) => path === url.pathname);
  if (here.length === 0) throw new Refusal(404, `the control API has no route ${url.pathname}`);
  const route = here.find(({ method }) => method === request.method);
  if (route === undefined) {
    response.setHeader('allow', here.map(({ method }) => method).join(', '));
    return send(response, 405, { error: `${url.pathname} accepts ${here.map(({ method }) => method).join(' or ')}` });
  }
  const input = route.method === 'GET' ? Object.fromEntries(url.searchParams) : parseJson(await text(request));
  send(response, 200, await route.handle(input));
}

/** Returns whether a URL names this machine and, with a request, the port on which the request arrived. */
function isOfThisMachine(text: string, request?: IncomingMessage): boolean {
  const url = URL.parse(text);
  if (url === null || !['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)) return false;
  return request === undefined || Number(url.port || 80) === request.socket.localPort;
}

function parseJson(body: string): unknown {
  if (body === '') return {};
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (typeof body === 'string') {
    response.writeHead(status, { 'content-type': 'text/plain' }).end(`${body}\n`);
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
