import { expect } from 'vitest';
import { type Answer, outcome } from './client.ts';
import { errorObject, read, vaultErrorObject } from './objects.ts';
import { DEPLOYED } from './stacks.ts';

/** The messages of the errors that must not tell more. */
const MESSAGES: Readonly<Record<string, string>> = {
  unauthorized: 'missing or invalid credentials',
  not_found: 'not found',
  method_not_allowed: 'method not allowed',
  rate_limited: 'too many requests for this api key',
  ops_cap_reached: 'monthly operation cap reached',
  internal_error: 'internal error',
};

/**
 * Checks that an answer is the expected refusal (such as `401 unauthorized`), in the service's error body or in
 * Vault's.
 */
export function expectRefusal(answer: Answer, expected: string): void {
  expect(outcome(answer)).toBe(expected);
  const requestId = answer.headers.get('x-request-id');
  if (Object.hasOwn(Object(answer.body), 'errors')) read(vaultErrorObject, answer);
  else {
    const { error, message, request_id } = read(errorObject, answer);
    expect(request_id).toBe(requestId);
    expect(message).toBe(MESSAGES[error] ?? message);
  }
  expect([...answer.headers.keys()].filter((name) => /retry-after|ratelimit/i.test(name))).toEqual([]);
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
