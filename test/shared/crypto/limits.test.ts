import { describe, expect, test } from 'vitest';
import { makeDek } from '../../../shared/crypto/data-keys.ts';
import {
  type Backend,
  isDek,
  refuseAad,
  refuseDek,
  refuseHsmTotal,
  refusePlaintext,
} from '../../../shared/crypto/limits.ts';

const bytes = (length: number) => Buffer.alloc(length);

function tooLarge(what: string, limit: number) {
  return expect.objectContaining({ code: 'payload_too_large', message: `${what} must be at most ${limit} bytes` });
}

describe('the plaintext of encrypt', () => {
  test.each([1, 2, 65_535, 65_536])('may be %i bytes', (length) => {
    expect(() => refusePlaintext(bytes(length))).not.toThrow();
  });

  test('may not be empty: invalid_request', () => {
    const refused = { code: 'invalid_request', message: 'plaintext must not be empty' };
    expect(() => refusePlaintext(bytes(0))).toThrow(expect.objectContaining(refused));
  });

  test('may not be 65,537 bytes: payload_too_large, naming field and limit', () => {
    expect(() => refusePlaintext(bytes(65_537))).toThrow(tooLarge('plaintext', 65_536));
  });
});

describe('the data key of wrap', () => {
  test.each([16, 24, 32])('may be %i bytes', (length) => {
    expect(() => refuseDek(bytes(length))).not.toThrow();
    expect(isDek(bytes(length))).toBe(true);
  });

  test.each([0, 1, 15, 17, 23, 25, 31, 33, 48, 64, 65_537])('may not be %i bytes: invalid_dek_length', (length) => {
    const refused = { code: 'invalid_dek_length', message: 'dek must be 16, 24 or 32 bytes' };
    expect(() => refuseDek(bytes(length))).toThrow(expect.objectContaining(refused));
    expect(isDek(bytes(length))).toBe(false);
  });

  test('is 32 random bytes where the service makes it', () => {
    const deks = Array.from({ length: 100 }, () => makeDek().toString('hex'));
    expect(new Set(deks).size).toBe(100);
    for (const dek of deks) expect(dek).toHaveLength(64);
  });
});

describe('aad', () => {
  test.each([
    ['data_key', 65_536],
    ['crypto_key', 65_520],
  ] satisfies [Backend, number][])('under a %s may be none to %i bytes, and not one more', (backend, limit) => {
    for (const length of [0, 1, limit]) expect(() => refuseAad(bytes(length), backend)).not.toThrow();
    expect(() => refuseAad(bytes(limit + 1), backend)).toThrow(tooLarge('aad', limit));
  });
});

describe('on hsm, what is encrypted or wrapped and aad together', () => {
  test.each([
    ['plaintext', 1, 8175],
    ['plaintext', 4096, 4080],
    ['plaintext', 8176, 0],
    ['dek', 32, 8144],
    ['dek', 24, 8152],
    ['dek', 16, 8160],
  ] as const)('may be 8,176 bytes and not one more: a %s of %i and aad of %i', (name, length, aad) => {
    expect(() => refuseHsmTotal('hsm', name, bytes(length), bytes(aad))).not.toThrow();
    expect(() => refuseHsmTotal('hsm', name, bytes(length), bytes(aad + 1))).toThrow(
      tooLarge(`${name} and aad together`, 8176),
    );
    expect(() => refuseHsmTotal('hsm', name, bytes(length + 1), bytes(aad))).toThrow(
      tooLarge(`${name} and aad together`, 8176),
    );
  });

  test.each(['free', 'wrapped', 'software'] as const)('is not limited so on %s', (tier) => {
    expect(() => refuseHsmTotal(tier, 'plaintext', bytes(65_536), bytes(65_520))).not.toThrow();
  });
});
