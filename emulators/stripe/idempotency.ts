import type { Account } from './account.ts';
import { invalidRequest, StripeError } from './errors.ts';
import type { IdempotentAnswer } from './state.ts';

/** What makes a request the same as an earlier one with its key. */
export function fingerprintOf(method: string, path: string, body: string): string {
  const fields = [...new URLSearchParams(body)].map((pair) => JSON.stringify(pair));
  return `${method} ${path} ${fields.sort().join()}`;
}

/** The answer stored under a key, if there is one. Throws when it was given to another request. */
export function findStoredAnswer({ state }: Account, key: string, fingerprint: string): IdempotentAnswer | undefined {
  if (key.length > 255) {
    throw invalidRequest('Idempotency keys can be at most 255 characters long.');
  }
  const stored = state.idempotent_answers.find((candidate) => candidate.key === key);
  if (stored !== undefined && stored.fingerprint !== fingerprint) {
    throw new StripeError(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      { type: 'idempotency_error' },
    );
  }
  return stored;
}

/** Stores the answer of a request that was carried out; refused ones may be sent again with the same key. */
export function storeAnswer(account: Account, answer: Omit<IdempotentAnswer, 'created'>): void {
  account.state.idempotent_answers.push({ ...answer, created: account.now() });
}
