import { z } from 'zod';

const DEADLINE_MS = 30_000;

/** An answer with the parts that the smoke test checks. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON, or as text if it is not JSON. */
  readonly body: unknown;
}

/** Sends a request. With `apiKey`, the request has this credential. */
export type Send = (method: string, path: string, options?: { apiKey?: string; body?: unknown }) => Promise<Answer>;

/** Returns a function that sends requests to the service at this origin. */
export function connect(origin: string): Send {
  return async (method, path, { apiKey, body } = {}) => {
    const response = await fetch(`${origin}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
      headers: {
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: parse(await response.text()) };
  };
}

const envelope = z.object({ error: z.string(), message: z.string(), request_id: z.string() });

/** Returns the status of an answer, and its error code if its body is the service's own error body. */
export function outcome({ status, headers, body }: Answer): string {
  const parsed = envelope.safeParse(body);
  const isOurs = parsed.success && headers.get('x-request-id') === parsed.data.request_id;
  return isOurs ? `${status} ${parsed.data.error}` : `${status}`;
}

/** Returns the answer's body. Throws an `Error` if the answer has another status or another body. */
export function expectBody<Body>(answer: Answer, status: number, body: z.ZodType<Body>): Body {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${outcome(answer)}`);
  const parsed = body.safeParse(answer.body);
  if (!parsed.success) throw new Error(`unexpected body: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  return parsed.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
