import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { refuseWhileCollecting } from './collecting.ts';
import { codeOf, noteAnswer } from './seen.ts';
import { DEPLOYED } from './stacks.ts';

/** The addresses of a stack's service and control API. */
export interface Addresses {
  readonly baseUrl: string;
  readonly controlUrl: string;
}

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON, or as text if it is plain text; `undefined` if it is empty. */
  readonly body: unknown;
}

/** The optional parts of a request. */
export interface Extras {
  readonly token?: string | undefined;
  /** The body, which is sent as JSON. */
  readonly body?: unknown;
  /** The body, which is sent unchanged, without a content type unless `headers` has one. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Deployed functions always have the rate limit. A request that it refuses is sent at most this often. */
const ATTEMPTS = DEPLOYED ? 100 : 1;

/** Sends a request over real HTTP. */
export async function send(method: string, url: string, extras: Extras = {}): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await sendOnce(method, url, extras);
    if (attempt === ATTEMPTS || outcome(answer) !== '429 rate_limited') return answer;
    await pause(50);
  }
}

async function sendOnce(method: string, url: string, extras: Extras): Promise<Answer> {
  refuseWhileCollecting();
  const headers = new Headers(extras.headers);
  if (extras.token !== undefined) headers.set('authorization', `Bearer ${extras.token}`);
  if (extras.body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const payload = extras.body === undefined ? extras.raw : JSON.stringify(extras.body);
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(payload !== undefined && { body: payload }),
  });
  const text = await response.text();
  const { status, headers: received } = response;
  const answer = { status, headers: received, body: readBody(received, text) };
  const { origin, pathname } = new URL(url);
  noteAnswer(origin, method, pathname, answer);
  return answer;
}

/** Parses the text of a body according to its content type. */
export function readBody(headers: Headers, text: string): unknown {
  if (text === '') return undefined;
  return headers.get('content-type') === 'text/plain' ? text : JSON.parse(text);
}

/** Returns a text field of an answer's body. Throws an `Error` that shows the body if the field is not text. */
export function text({ status, body }: Answer, field: string): string {
  const value: unknown = Object(body)[field];
  if (typeof value !== 'string') throw new Error(`no text in ${field}: ${status} ${JSON.stringify(body)}`);
  return value;
}

/** Returns the body of an answer as a list of objects. */
export function list(answer: Answer): Record<string, unknown>[] {
  return z.array(z.record(z.string(), z.unknown())).parse(answer.body);
}

/**
 * Returns the status and the error code of an answer, such as `429 rate_limited`; only the status if it is not an
 * error.
 */
export function outcome({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  const code = codeOf(body);
  return code === null ? String(status) : `${status} ${code}`;
}

/** Calls the stack's control API. */
export async function control(stack: Addresses, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await send(method, `${stack.controlUrl}${path}`, { body });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/**
 * An address where no server listens: Linux gives ports below 1024 only to processes that ask for them. `fetch` blocks
 * some of these ports, such as 1, but not this one.
 */
export const NOWHERE = 'http://127.0.0.1:2';
