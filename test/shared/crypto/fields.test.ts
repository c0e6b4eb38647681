import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { binary, decodeAad, decodeField } from '../../../shared/crypto/fields.ts';

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

describe('aad', () => {
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
