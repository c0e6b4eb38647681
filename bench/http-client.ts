import type { z } from 'zod';

const TIMEOUT_MS = 15_000;

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** A body that is sent unchanged. Used only if there is no `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a request and resolves to the answer. The number of connections is unlimited, so that requests wait in the
 * service and not here. Rejects if there is no answer within 15 seconds, or if `stopped` aborts first.
 */
export async function send(url: string, request: HttpRequest, stopped?: AbortSignal): Promise<HttpAnswer> {
  const { method, path, token, body } = request;
  const payload = body === undefined ? request.raw : JSON.stringify(body);
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(payload !== undefined && { 'content-type': 'application/json' }),
    ...request.headers,
  };
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = stopped === undefined ? timeout : AbortSignal.any([timeout, stopped]);
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    signal,
    ...(payload !== undefined && { body: payload }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Sends a request and parses the answer's body. Throws if the status is 300 or more. */
export async function call<Body>(url: string, request: HttpRequest, schema: z.ZodType<Body>): Promise<Body> {
  const { status, text } = await send(url, request);
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${text}`);
  return schema.parse(text === '' ? undefined : JSON.parse(text));
}

/** Returns the status, with the error code if there is one, such as `200` or `503 unavailable`. */
export function outcomeOf({ status, text }: HttpAnswer): string {
  if (status < 400) return String(status);
  const [, error] = /"error":"(\w+)"/.exec(text) ?? [];
  return error === undefined ? String(status) : `${status} ${error}`;
}
