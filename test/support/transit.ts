import { z } from 'zod';
import { type Answer, type Extras, send } from './client.ts';
import type { Client } from './tenant.ts';

const answered = z.object({ data: z.record(z.string(), z.unknown()) });
const batchAnswered = z.object({
  data: z.object({ batch_results: z.array(z.record(z.string(), z.string().or(z.number()))) }),
});

/** Calls a Transit route like a Vault client, with the token in `X-Vault-Token`. */
export function transit(client: Client, call: string, body?: unknown, extras: Extras = {}): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  const headers = { 'x-vault-token': client.token ?? '', ...extras.headers };
  const under = path.startsWith('/auth') ? '/v1' : '/v1/transit';
  return send(method, `${client.stack.baseUrl}${under}${path}`, { body, ...extras, headers });
}

/** Returns the `data` of an answer. Throws a `ZodError` if the answer has no data. */
export function dataOf({ body }: Answer): Record<string, unknown> {
  return answered.parse(body).data;
}

/** Returns a text field of `data`. */
export function textOf(answer: Answer, field: string): string {
  return z.string().parse(dataOf(answer)[field]);
}

/** Returns the results of a batch. */
export function resultsOf({ body }: Answer): Record<string, string | number>[] {
  return batchAnswered.parse(body).data.batch_results;
}

/** Returns the error codes of a batch's results, with `ok` for successes. */
export function codesOf(answer: Answer): string[] {
  return resultsOf(answer).map(({ error }) => (error === undefined ? 'ok' : String(error).replace(/:.*/s, '')));
}
