import http from 'node:http';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';

/** As many connections as there are requests: what waits, waits in the service. */
const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
/** A request that has had no answer for so long has had none. */
const PATIENCE_MS = 15_000;

/** One request; `body` goes as JSON, `raw` as it is. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Status and text of an answer. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends it. Rejects when there is no answer in time, or when the signal comes first. */
export async function ask(url: string, asked: Asked, stopped?: AbortSignal): Promise<Answer> {
  const { method, path, token, body } = asked;
  const payload = body === undefined ? asked.raw : JSON.stringify(body);
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(payload !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
    }),
    ...asked.headers,
  };
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  const signal = stopped === undefined ? timeout : AbortSignal.any([timeout, stopped]);
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = http.request(`${url}${path}`, { method, headers, agent, signal }, resolve);
  request.once('error', reject);
  request.end(payload);
  const answer = await promise;
  return { status: answer.statusCode ?? 0, text: await text(answer) };
}

/** Sends it and reads its answer. Throws for anything but success. */
export async function call<Body>(url: string, asked: Asked, schema: z.ZodType<Body>): Promise<Body> {
  const { status, text } = await ask(url, asked);
  if (status >= 300) throw new Error(`${asked.method} ${asked.path}: ${status} ${text}`);
  return schema.parse(JSON.parse(text));
}

/** What a person calls the answer: `200`, `503 unavailable`. */
export function outcomeOf({ status, text }: Answer): string {
  if (status < 400) return String(status);
  const [, error] = /"error":"(\w+)"/.exec(text) ?? [];
  return error === undefined ? String(status) : `${status} ${error}`;
}
