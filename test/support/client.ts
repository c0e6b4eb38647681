import { z } from 'zod';
import { noteAnswer } from './seen.ts';

/** Where a stack's service and control API are. */
export interface Addresses {
  readonly baseUrl: string;
  readonly controlUrl: string;
}

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the body, `undefined` where there is none. */
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
  const answer = {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
  const { origin, pathname } = new URL(url);
  noteAnswer(origin, method, pathname, answer);
  return answer;
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

/** An answer's error code and status, as `429 rate_limited`; `200` and the like where there is none. */
export function outcome({ status, body }: Answer): string {
  const parsed = z.object({ error: z.string() }).safeParse(body);
  return parsed.success ? `${status} ${parsed.data.error}` : String(status);
}

/** A call of the stack's control API. */
export async function control(stack: Addresses, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await send(method, `${stack.controlUrl}${path}`, { body });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
