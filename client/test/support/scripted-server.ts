import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { listen, portOf } from '../../../emulators/base/listen.ts';
import type { FakeService } from '../../src/testing/index.ts';

/** A request that the server received. */
export interface ReceivedRequest {
  readonly call: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** One step of a script: handles a request. */
export type Step = (response: ServerResponse, request: ReceivedRequest) => void;

/** Starts a server for the tests of a file. It answers each request with the next step of a script, and repeats the last. */
export function scriptedServer() {
  let script: Step[] = [];
  let requests: ReceivedRequest[] = [];
  // A request that a test aborted may arrive during the next test, so each test uses a different path.
  let path = '/0';
  const server = createServer(async (request, response) => {
    const { method, headers } = request;
    const body = await text(request);
    if (!request.url?.startsWith(`${path}/`)) return void response.destroy();
    const url = request.url.slice(path.length);
    const isJson = headers['content-type'] === 'application/json';
    const one = { call: `${method} ${url}`, headers, body: isJson ? JSON.parse(body) : undefined };
    requests.push(one);
    const step = script.length > 1 ? script.shift() : script[0];
    step?.(response, one);
  });
  beforeAll(() => listen(server, 0));
  beforeEach(() => {
    requests = [];
    script = [];
    path = `/${Number(path.slice(1)) + 1}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    get url() {
      return `http://127.0.0.1:${portOf(server)}${path}`;
    },
    /** The requests of the current test. */
    get requests(): readonly ReceivedRequest[] {
      return requests;
    },
    play: (...steps: Step[]) => {
      script = steps;
    },
  };
}

/** Answers with JSON. */
export function answer(status: number, body?: unknown, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
}

/** Answers with an error of the service. */
export function refuse(status: number, error: string, more: object = {}): Step {
  return (response, request) => {
    const body = { error, message: `because of ${error}`, request_id: request.headers['x-request-id'], ...more };
    answer(status, body)(response, request);
  };
}

/** Answers with an HTML page, as a proxy or another server would. */
export function page(status: number): Step {
  return (response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>');
}

/** Breaks the connection without an answer. */
export const lose: Step = (response) => response.destroy();

/** Breaks the connection in the middle of an answer. */
export const loseHalf: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":', () => response.destroy());
};

/** Never answers. */
export const silence: Step = () => undefined;

/** Answers as the library's fake of the service does. */
export function stepOf(fake: FakeService): Step {
  return async (response, { call, headers, body }) => {
    const [method, path] = call.split(' ');
    const { authorization = '', 'content-type': type = '' } = headers;
    const sent = { method, headers: { authorization, 'content-type': type }, body: JSON.stringify(body) };
    const answered = await fake.fetch(`${fake.url}${path}`, sent);
    answer(answered.status, await answered.json())(response, { call, headers, body });
  };
}
