import { ROUTES } from '../api/generated.ts';
import type { Answer, OperationId } from '../types.ts';
import { readAnswer } from './answer.ts';
import type { Deadline } from './deadline.ts';
import { exchange } from './exchange.ts';
import type { Prepared } from './prepared.ts';
import type { Settings } from './settings.ts';

/** An operation's answer, and the `Link` header with the address of the next page. */
export interface Answered<Id extends OperationId> {
  readonly answer: Answer<Id>;
  readonly link: string | undefined;
}

/**
 * Sends a request once. Throws an `EncryptionServiceError` for an error response, `Unanswered` if no complete response
 * arrives, or the error that `token` throws.
 */
export async function attempt<Id extends OperationId>(
  { address, token, dropToken, fetch }: Settings,
  { operation, method, path, query, body, requestId }: Prepared<Id>,
  deadline: Deadline,
): Promise<Answered<Id>> {
  const headers: Record<string, string> = { accept: 'application/json', 'x-request-id': requestId };
  const credential = ROUTES[operation].isOpen ? undefined : await token();
  if (credential !== undefined) headers.authorization = `Bearer ${credential}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const request = { method, headers, signal: deadline.signal, ...(body !== undefined && { body }) };
  const received = await exchange(fetch, `${address}${path}${query}`, request);
  if (received.status === 401) dropToken();
  return { answer: readAnswer(operation, received), link: received.link };
}
