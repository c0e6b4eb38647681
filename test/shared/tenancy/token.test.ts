import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ApiKeyId, idFromBytes, makeId, parseId } from '../../../shared/base/ids.ts';
import { makeSecret, parseToken, tokenPrefix, viewToken } from '../../../shared/tenancy/token.ts';

const PREFIX = 'ci7ekz7itmjnhjcwijtbif2aaa';
const SECRET = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE';
const ID = '123e4567-e89b-12d3-a456-426614174000';

describe('an API key token', () => {
  test('an API key token is esk_, the id in base32, an underscore and the secret', () => {
    const apiKeyId = parseId<ApiKeyId>(ID);
    expect(parseToken(`esk_${PREFIX}_${SECRET}`)).toEqual({ apiKeyId, secret: SECRET });
    expect(apiKeyId && viewToken({ apiKeyId, secret: SECRET })).toBe(`esk_${PREFIX}_${SECRET}`);
  });

  test.each([
    ['00000000-0000-0000-0000-000000000000', 'a'.repeat(26)],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', `${'7'.repeat(25)}4`],
    [ID, PREFIX],
  ])('the id %s is written as the prefix %s, and the prefix is read as that id', (id, prefix) => {
    const apiKeyId = parseId<ApiKeyId>(id);
    expect(apiKeyId && tokenPrefix(apiKeyId)).toBe(prefix);
    expect(parseToken(`esk_${prefix}_${SECRET}`)?.apiKeyId).toBe(id);
  });

  test.each([
    ['underscores', '_'.repeat(43)],
    ['hyphens', '-'.repeat(43)],
    ['text that looks like another token', `esk_${PREFIX}_${'A'.repeat(12)}`],
  ])('the secret of a token may consist of %s', (_, secret) => {
    expect(parseToken(`esk_${PREFIX}_${secret}`)?.secret).toBe(secret);
  });

  test.each([
    ['an empty text', ''],
    ['only esk_', 'esk_'],
    ['no esk_ at the start', `${PREFIX}_${SECRET}`],
    ['another start', `sk_${PREFIX}_${SECRET}`],
    ['esk_ in upper case', `ESK_${PREFIX}_${SECRET}`],
    ['no secret', `esk_${PREFIX}`],
    ['an empty secret', `esk_${PREFIX}_`],
    ['no prefix', `esk__${SECRET}`],
    ['no underscore before the secret', `esk_${PREFIX}${SECRET}`],
    ['a prefix in upper case', `esk_${PREFIX.toUpperCase()}_${SECRET}`],
    ['a prefix one character short', `esk_${PREFIX.slice(1)}_${SECRET}`],
    ['a prefix one character long', `esk_${PREFIX}a_${SECRET}`],
    ['a prefix outside the alphabet', `esk_${PREFIX.replace('c', '1')}_${SECRET}`],
    ['a prefix whose unused bits are not zero', `esk_${PREFIX.slice(0, 25)}b_${SECRET}`],
    ['a prefix that is a UUID', `esk_${ID}_${SECRET}`],
    ['a secret one character short', `esk_${PREFIX}_${SECRET.slice(1)}`],
    ['a secret one character long', `esk_${PREFIX}_${SECRET}A`],
    ['a secret with padding', `esk_${PREFIX}_${SECRET}=`],
    ['a secret in standard base64', `esk_${PREFIX}_${SECRET.replace('-', '+')}`],
    ['a line feed at the end', `esk_${PREFIX}_${SECRET}\n`],
    ['a space before the token', ` esk_${PREFIX}_${SECRET}`],
    ['a line before the token', `x\nesk_${PREFIX}_${SECRET}`],
  ])('a malformed token is refused: %s', (_, text) => {
    expect(parseToken(text)).toBeUndefined();
  });

  test('formatting and then parsing a token returns the same id and secret', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const token = { apiKeyId: idFromBytes<ApiKeyId>(bytes), secret: makeSecret() };
        const text = viewToken(token);
        expect(text).toHaveLength(74);
        expect(parseToken(text)).toEqual(token);
      }),
    );
  });

  test('two API keys never have the same prefix', () => {
    const ids = Array.from({ length: 1000 }, () => makeId<ApiKeyId>());
    expect(new Set(ids.map(tokenPrefix)).size).toBe(1000);
  });

  test('a new secret is 32 bytes in base64url without padding, different each time', () => {
    const secrets = Array.from({ length: 200 }, makeSecret);
    expect(new Set(secrets).size).toBe(200);
    for (const secret of secrets) {
      expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    }
  });
});
