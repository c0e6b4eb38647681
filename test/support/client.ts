import { z } from 'zod';
import { codeOf, noteAnswer } from './seen.ts';

/** Where a stack's service and control API are. */
export interface Addresses {
  readonly baseUrl: string;
  readonly controlUrl: string;
}

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the body, or its text where it is plain text; `undefined` when it is empty. */
  readonly body: unknown;
}

/** What a request may carry besides its method and path. */
export interface Extras {
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, with no content type but the one in `headers`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request over real HTTP. */
export async function send(method: string, url: string, extras: Extras = {}): Promise<Answer> {
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

/** What the text of a body says, by its content type. */
export function readBody(headers: Headers, text: string): unknown {
  if (text === '') return undefined;
  return headers.get('content-type') === 'text/plain' ? text : JSON.parse(text);
}

/** A field of an answer's body that is text. Throws a `ZodError` for anything else. */
export function text(answer: Answer, field: string): string {
  return z
    .record(z.string(), z.unknown())
    .transform((body) => z.string().parse(body[field]))
    .parse(answer.body);
}

/** An answer's body that is a list of objects. */
export function list(answer: Answer): Record<string, unknown>[] {
  return z.array(z.record(z.string(), z.unknown())).parse(answer.body);
}

/** An answer's error code and status, as `429 rate_limited`; only the status where the answer is no error. */
export function outcome({ status, body }: Answer): string {
  const code = codeOf(body);
  return code === null ? String(status) : `${status} ${code}`;
}

/** A call of the stack's control API. */
export async function control(stack: Addresses, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await send(method, `${stack.controlUrl}${path}`, { body });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
