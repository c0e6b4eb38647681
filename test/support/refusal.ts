import { expect } from 'vitest';
import { type Answer, outcome } from './client.ts';
import { errorObject, read, vaultErrorObject } from './objects.ts';
import { DEPLOYED } from './stacks.ts';

/**
 * Checks that an answer is the expected refusal (such as `401 unauthorized`), in the service's error body or in
 * Vault's.
 */
export function expectRefusal(answer: Answer, expected: string): void {
  expect(outcome(answer)).toBe(expected);
  const requestId = answer.headers.get('x-request-id');
  if (Object.hasOwn(Object(answer.body), 'errors')) read(vaultErrorObject, answer);
  else expect(read(errorObject, answer).request_id).toBe(requestId);
  expect(requestId).not.toBeNull();
  expect(answer.headers.get('content-type')).toBe('application/json');
}

/**
 * Checks that a malformed HTTP request was refused as expected. In a stack with a gateway, the gateway must refuse it,
 * because a gateway does not pass malformed HTTP on.
 */
export function expectRefusalInFront(answer: Answer, expected: string): void {
  if (DEPLOYED) expectGatewayRefusal(answer, Number(expected.slice(0, 3)));
  else expectRefusal(answer, expected);
}

/** Checks that the gateway itself refused the request: without the service's error body and without a request id. */
export function expectGatewayRefusal({ status, headers, body }: Answer, expected: number): void {
  expect([status, headers.get('x-request-id'), body]).toEqual([
    expected,
    null,
    { code: expected, message: expect.any(String) },
  ]);
}
