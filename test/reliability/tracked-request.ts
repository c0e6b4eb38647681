import http from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** How a request ended, as the client saw it. */
export type Ending =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  /** No byte of an answer arrived. */
  | { readonly kind: 'unanswered' }
  /** The answer began but did not end. */
  | { readonly kind: 'cut' };

/** A request that was started. */
export interface Tracked {
  /** Returns whether the whole request has been written to the connection. */
  isSent(): boolean;
  readonly ending: Promise<Ending>;
}

const refusal = z.object({ error: z.string() });

/** Posts JSON. Reports exactly how the request ended, which ordinary clients do not. */
export function post(agent: http.Agent, url: string, headers: http.OutgoingHttpHeaders, body: unknown): Tracked {
  const { promise: ending, resolve } = Promise.withResolvers<Ending>();
  const request = http.request(url, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  });
  let isSent = false;
  request.once('finish', () => {
    isSent = true;
  });
  request.once('error', () => resolve({ kind: 'unanswered' }));
  request.once('response', (answer) => {
    text(answer).then(
      (whole) => resolve({ kind: 'answered', status: answer.statusCode ?? 0, body: JSON.parse(whole) }),
      () => resolve({ kind: 'cut' }),
    );
  });
  request.end(JSON.stringify(body));
  return { isSent: () => isSent, ending };
}

/** Returns a short text for an ending, such as `200`, `500 internal_error` or `unanswered`. */
export function describeEnding(ending: Ending): string {
  if (ending.kind !== 'answered') return ending.kind;
  const refused = refusal.safeParse(ending.body);
  return refused.success ? `${ending.status} ${refused.data.error}` : String(ending.status);
}
