import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { makeDek } from '../../../shared/crypto/data-key-cache.ts';
import { binary, decodeAad, decodeField } from '../../../shared/crypto/fields.ts';
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
  test.each([1, 2, 65_535, 65_536])('a plaintext of %i bytes is accepted', (length) => {
    expect(() => refusePlaintext(bytes(length))).not.toThrow();
  });

  test('an empty plaintext is refused with invalid_request', () => {
    const refused = { code: 'invalid_request', message: 'plaintext must not be empty' };
    expect(() => refusePlaintext(bytes(0))).toThrow(expect.objectContaining(refused));
  });

  test('a plaintext of 65,537 bytes is refused with an error that names the field and the limit', () => {
    expect(() => refusePlaintext(bytes(65_537))).toThrow(tooLarge('plaintext', 65_536));
  });
});

describe('the data key of wrap', () => {
  test.each([16, 24, 32])('a data key of %i bytes is accepted', (length) => {
    expect(() => refuseDek(bytes(length))).not.toThrow();
    expect(isDek(bytes(length))).toBe(true);
  });

  test.each([0, 1, 15, 17, 23, 25, 31, 33, 48, 64, 65_537])(
    'a data key of %i bytes is refused with invalid_dek_length',
    (length) => {
      const refused = { code: 'invalid_dek_length', message: 'dek must be 16, 24 or 32 bytes' };
      expect(() => refuseDek(bytes(length))).toThrow(expect.objectContaining(refused));
      expect(isDek(bytes(length))).toBe(false);
    },
  );

  test('a data key that the service makes is 32 random bytes', () => {
    const deks = Array.from({ length: 100 }, () => makeDek().toString('hex'));
    expect(new Set(deks).size).toBe(100);
    for (const dek of deks) expect(dek).toHaveLength(64);
  });
});

describe('aad', () => {
  test.each([
    ['data_key', 65_536],
    ['crypto_key', 65_520],
  ] satisfies [Backend, number][])('aad for the backend %s may have up to %i bytes', (backend, limit) => {
    for (const length of [0, 1, limit]) expect(() => refuseAad(bytes(length), backend)).not.toThrow();
    expect(() => refuseAad(bytes(limit + 1), backend)).toThrow(tooLarge('aad', limit));
  });
});

describe('the total of plaintext or data key and aad', () => {
  test.each([
    ['plaintext', 1, 8175],
    ['plaintext', 4096, 4080],
    ['plaintext', 8176, 0],
    ['dek', 32, 8144],
    ['dek', 24, 8152],
    ['dek', 16, 8160],
  ] as const)(
    'an hsm key accepts a %s of %i bytes with aad of %i bytes, and refuses one more byte',
    (name, length, aad) => {
      expect(() => refuseHsmTotal('hsm', name, bytes(length), bytes(aad))).not.toThrow();
      expect(() => refuseHsmTotal('hsm', name, bytes(length), bytes(aad + 1))).toThrow(
        tooLarge(`${name} and aad together`, 8176),
      );
      expect(() => refuseHsmTotal('hsm', name, bytes(length + 1), bytes(aad))).toThrow(
        tooLarge(`${name} and aad together`, 8176),
      );
    },
  );

  test.each(['free', 'wrapped', 'software'] as const)(
    'a %s key has no limit on the total of plaintext and aad',
    (tier) => {
      expect(() => refuseHsmTotal(tier, 'plaintext', bytes(65_536), bytes(65_520))).not.toThrow();
    },
  );
});

describe('a binary field', () => {
  test('a binary field is decoded from base64', () => {
    expect(decodeField('plaintext', 'Zm9vYg==').toString()).toBe('foob');
    expect(decodeField('plaintext', '')).toHaveLength(0);
  });

  test.each(['plaintext', 'ciphertext', 'wrapped', 'dek'])(
    'a binary field that is not base64 is refused with an error that names the field: %s',
    (name) => {
      expect(() => decodeField(name, 'SECRET?')).toThrow(
        expect.objectContaining({ code: 'invalid_base64', message: expect.stringContaining(name) }),
      );
      expect(() => decodeField(name, 'SECRET?')).not.toThrow('SECRET');
    },
  );
});

test('a binary field is documented as base64 for JSON Schema and for older OpenAPI tools', () => {
  expect(z.toJSONSchema(binary)).toMatchObject({ type: 'string', contentEncoding: 'base64', format: 'byte' });
});

describe('the field aad', () => {
  test.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
  ])('aad that is %s is read as zero bytes', (_, text) => {
    expect(decodeAad(text)).toHaveLength(0);
  });

  test('aad is decoded from base64', () => {
    expect(decodeAad('Zm9v').toString()).toBe('foo');
  });

  test('aad that is not base64 is refused with an error that names the field', () => {
    expect(() => decodeAad('Zm9')).toThrow(
      expect.objectContaining({ code: 'invalid_base64', message: expect.stringContaining('aad') }),
    );
  });
});
