import { z } from 'zod';
import { type Addresses, type Answer, type Extras, send } from './client.ts';
import { patiently } from './patience.ts';
import type { Client } from './tenant.ts';

const answered = z.object({ data: z.record(z.string(), z.unknown()) });
const batchAnswered = z.object({
  data: z.object({ batch_results: z.array(z.record(z.string(), z.string().or(z.number()))) }),
});

/** Calls a Transit route as Vault's clients do, with the token in `X-Vault-Token`; again while that has run out of tokens. */
export function transit(client: Client, call: string, body?: unknown, extras: Extras = {}): Promise<Answer> {
  return patiently(() => transitOnce(client, call, body, extras));
}

/** The same, whatever is answered. */
export function transitOnce(client: Client, call: string, body?: unknown, extras: Extras = {}): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  const headers = { 'x-vault-token': client.token ?? '', ...extras.headers };
  return send(method, urlOf(client.stack, path), { body, ...extras, headers });
}

function urlOf({ baseUrl }: Addresses, path: string): string {
  const under = path.startsWith('/auth') ? '/v1' : '/v1/transit';
  return `${baseUrl}${under}${path}`;
}

/** The `data` of an answer. Throws a `ZodError` where it has none. */
export function dataOf({ body }: Answer): Record<string, unknown> {
  return answered.parse(body).data;
}

/** A field of `data` that is text. */
export function textOf(answer: Answer, field: string): string {
  return z.string().parse(dataOf(answer)[field]);
}

/** The results of a batch. */
export function resultsOf({ body }: Answer): Record<string, string | number>[] {
  return batchAnswered.parse(body).data.batch_results;
}

/** The error codes of a batch's results, `ok` for those without. */
export function codesOf(answer: Answer): string[] {
  return resultsOf(answer).map(({ error }) => (error === undefined ? 'ok' : String(error).replace(/:.*/s, '')));
}
