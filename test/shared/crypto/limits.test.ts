import { expect, test } from 'vitest';
import { z } from 'zod';
import { makeDek } from '../../../shared/crypto/data-key-cache.ts';
import { binary, decodeAad, decodeField } from '../../../shared/crypto/fields.ts';
import { isDek, refuseAad, refuseDek, refuseHsmTotal, refusePlaintext } from '../../../shared/crypto/limits.ts';
import { ApiError } from '../../../shared/errors.ts';

const bytes = (length: number) => Buffer.alloc(length);

/** Returns `accepted`, or the code and message of the error with which `check` refuses. */
function outcomeOf(check: () => unknown): string {
  try {
    check();
    return 'accepted';
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

test.each([
  [0, 'invalid_request: plaintext must not be empty'],
  [1, 'accepted'],
  [65_536, 'accepted'],
  [65_537, 'payload_too_large: plaintext must be at most 65536 bytes'],
])('the outcome for a plaintext of %i bytes is "%s"', (length, outcome) => {
  expect(outcomeOf(() => refusePlaintext(bytes(length)))).toBe(outcome);
});

test.each([0, 1, 15, 16, 17, 23, 24, 25, 31, 32, 33, 48, 64, 65_537])(
  'a data key to wrap has 16, 24 or 32 bytes: %i bytes',
  (length) => {
    const isAccepted = [16, 24, 32].includes(length);
    const refused = 'invalid_dek_length: dek must be 16, 24 or 32 bytes';
    expect(outcomeOf(() => refuseDek(bytes(length)))).toBe(isAccepted ? 'accepted' : refused);
    expect(isDek(bytes(length))).toBe(isAccepted);
  },
);

test('a data key that the service makes is 32 random bytes', () => {
  const deks = Array.from({ length: 100 }, () => makeDek().toString('hex'));
  expect(new Set(deks).size).toBe(100);
  for (const dek of deks) expect(dek).toHaveLength(64);
});

test.each([
  ['data_key', 65_536],
  ['crypto_key', 65_520],
] as const)('aad for the backend %s may have up to %i bytes', (backend, limit) => {
  for (const length of [0, 1, limit]) expect(outcomeOf(() => refuseAad(bytes(length), backend))).toBe('accepted');
  const refused = `payload_too_large: aad must be at most ${limit} bytes`;
  expect(outcomeOf(() => refuseAad(bytes(limit + 1), backend))).toBe(refused);
});

test.each([
  ['plaintext', 1, 8175],
  ['plaintext', 4096, 4080],
  ['plaintext', 8176, 0],
  ['dek', 32, 8144],
  ['dek', 16, 8160],
] as const)('an hsm key accepts a %s of %i bytes with aad of %i bytes, and refuses one more byte', (...row) => {
  const [name, length, aad] = row;
  const check = (one: number, other: number) =>
    outcomeOf(() => refuseHsmTotal('hsm', name, bytes(length + one), bytes(aad + other)));
  const refused = `payload_too_large: ${name} and aad together must be at most 8176 bytes`;
  expect([check(0, 0), check(0, 1), check(1, 0)]).toEqual(['accepted', refused, refused]);
});

test.each(['free', 'wrapped', 'software'] as const)(
  'a %s key has no limit on the total of plaintext and aad',
  (tier) => {
    expect(outcomeOf(() => refuseHsmTotal(tier, 'plaintext', bytes(65_536), bytes(65_520)))).toBe('accepted');
  },
);

test('a binary field is decoded from base64, and aad that is absent, null or empty is read as zero bytes', () => {
  expect(decodeField('plaintext', 'Zm9vYg==').toString()).toBe('foob');
  expect(decodeField('plaintext', '')).toHaveLength(0);
  expect(decodeAad('Zm9v').toString()).toBe('foo');
  for (const text of [undefined, null, '']) expect(decodeAad(text)).toHaveLength(0);
});

test('text that is not base64 is refused with an error that names the field and does not quote the text', () => {
  const refused = 'invalid_base64: plaintext must be standard base64 with padding';
  expect(outcomeOf(() => decodeField('plaintext', 'SECRET?'))).toBe(refused);
  expect(outcomeOf(() => decodeAad('Zm9'))).toBe(refused.replace('plaintext', 'aad'));
});

test('a binary field is documented as base64 for JSON Schema and for older OpenAPI tools', () => {
  expect(z.toJSONSchema(binary)).toMatchObject({ type: 'string', contentEncoding: 'base64', format: 'byte' });
});
