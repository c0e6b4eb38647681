import { beforeAll, describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../shared/errors.ts';
import { outcome, text } from '../../support/client.ts';
import { ownStack } from '../../support/own-stack.ts';
import { DEPLOYED } from '../../support/stacks.ts';
import { ERRORS, makeWorld, type World } from '../error-table.ts';

const stack = ownStack();
let world: World;
beforeAll(async () => {
  world = await makeWorld(stack);
});

const FIXED_MESSAGES: Readonly<Record<string, string>> = {
  '401 unauthorized': 'missing or invalid credentials',
  '404 not_found': 'not found',
  '405 method_not_allowed': 'method not allowed',
  '429 rate_limited': 'too many requests for this api key',
  '429 ops_cap_reached': 'monthly operation cap reached',
  '500 internal_error': 'internal error',
};

test('the table of errors in this test contains exactly the error codes of the service', () => {
  expect(
    Object.keys(ERRORS)
      .map((error) => error.split(' ')[1])
      .sort(),
  ).toEqual([...ERROR_CODES].sort());
});

// Deployed functions cannot hold their rate limit.
const PRODUCED = Object.entries(ERRORS).filter(([error]) => !(DEPLOYED && error === '429 rate_limited'));

describe.each(PRODUCED)('the error %s', (error, produce) => {
  test('the answer has the standard error body, the request id and no header about retries or rate limits', async () => {
    const answer = await produce(world);
    expect(outcome(answer)).toBe(error);
    const fields = ['error', 'message', 'request_id', ...(error === '429 ops_cap_reached' ? ['cap', 'resets_at'] : [])];
    expect(Object.keys(Object(answer.body)).sort()).toEqual(fields.sort());
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toBe(text(answer, 'request_id'));
    expect(text(answer, 'message')).toMatch(/./);
    if (FIXED_MESSAGES[error] !== undefined) expect(text(answer, 'message')).toBe(FIXED_MESSAGES[error]);
    expect([...answer.headers.keys()].filter((name) => /retry-after|ratelimit/i.test(name))).toEqual([]);
  });
});

test('the message of unsupported_media_type asks for a JSON content type', async () => {
  const answer = await ERRORS['415 unsupported_media_type']?.(world);
  expect(Object(answer?.body).message).toMatch(/JSON content type/);
});
