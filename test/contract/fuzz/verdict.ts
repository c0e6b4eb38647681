import { expect } from 'vitest';
import { CATALOGUE, ERROR_CODES } from '../../../shared/errors.ts';
import type { Answer } from '../../support/client.ts';
import { errorObject, read, vaultErrorObject } from '../../support/objects.ts';
import { expectGatewayRefusal } from '../../support/refusal.ts';
import { DEPLOYED } from '../../support/stacks.ts';

/** Codes that no fuzzed request may get: its own fault cannot cause them. */
const IMPOSSIBLE: readonly string[] = ['internal_error', 'ip_not_allowed', 'ops_cap_reached'];

/** Checks that an answer is a success, or a documented error in the standard error body. */
export function expectValidAnswer(answer: Answer, request: string): void {
  const { status, headers, body } = answer;
  if (DEPLOYED && headers.get('x-request-id') === null) {
    expectGatewayRefusal(answer, status);
    return;
  }
  const requestId = headers.get('x-request-id');
  expect(requestId, request).toMatch(/^[\w.:-]{1,128}$/);
  if (status >= 200 && status < 300) return;
  expect(headers.get('content-type')).toMatch(/^application\/json\b/);
  // If every item of a Transit batch failed, the answer has an error for each item.
  if (status === 400 && Object.hasOwn(Object(body), 'data')) return;
  const code = codeOf(answer, requestId);
  const allowed = ERROR_CODES.filter((one) => !IMPOSSIBLE.includes(one) && CATALOGUE[one].status === status);
  const isVaults = status === 403 && code === 'unauthorized';
  expect(isVaults ? [code] : allowed, `${request}: ${status} ${JSON.stringify(body)}`).toContain(code);
}

/**
 * Returns the error code in the service's own error body or in Vault's. Vault answers invalid credentials with `403`.
 */
function codeOf(answer: Answer, requestId: string | null): string {
  if (Object.hasOwn(Object(answer.body), 'errors'))
    return read(vaultErrorObject, answer).errors[0].split(': ')[0] ?? '';
  const refusal = read(errorObject, answer);
  expect(refusal.request_id).toBe(requestId);
  return refusal.error;
}
