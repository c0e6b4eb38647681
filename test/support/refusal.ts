import { expect } from 'vitest';
import { type Answer, outcome } from './client.ts';
import { errorObject, read } from './objects.ts';

/** Checks that an answer is that refusal (`401 unauthorized`), in the one error body of the service. */
export function expectRefusal(answer: Answer, expected: string): void {
  expect(outcome(answer)).toBe(expected);
  const { request_id } = read(errorObject, answer);
  expect(answer.headers.get('x-request-id')).toBe(request_id);
  expect(answer.headers.get('content-type')).toBe('application/json');
}
