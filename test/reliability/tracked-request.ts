import http from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

export type Ending =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  /** The client received no byte of an answer. */
  | { readonly kind: 'unanswered' }
  /** The answer began and did not end. */
  | { readonly kind: 'cut' };

export interface Tracked {
  /** Whether the whole request was handed to the connection. */
  isSent(): boolean;
  readonly ending: Promise<Ending>;
}

const refusal = z.object({ error: z.string() });

/** Posts JSON. Reports how the request ended in more detail than usual clients. */
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

/** Returns text such as `200`, `500 internal_error` or `unanswered`. */
export function inAWord(ending: Ending): string {
  if (ending.kind !== 'answered') return ending.kind;
  const refused = refusal.safeParse(ending.body);
  return refused.success ? `${ending.status} ${refused.data.error}` : String(ending.status);
}
