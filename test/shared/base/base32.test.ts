import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase32, encodeBase32 } from '../../../shared/base/base32.ts';

/** The examples of RFC 4648 §10, in lower case and without padding. */
const VECTORS = [
  ['', ''],
  ['f', 'my'],
  ['fo', 'mzxq'],
  ['foo', 'mzxw6'],
  ['foob', 'mzxw6yq'],
  ['fooba', 'mzxw6ytb'],
  ['foobar', 'mzxw6ytboi'],
] as const;

describe('base32', () => {
  test.each(VECTORS)('the RFC 4648 §10 example "%s" is encoded as "%s"', (plain, text) => {
    expect(encodeBase32(Buffer.from(plain))).toBe(text);
    expect(decodeBase32(text)?.toString()).toBe(plain);
  });

  test.each([
    ['upper case', 'MZXW6YTB'],
    ['padding', 'my======'],
    ['a digit outside the alphabet', 'mzxw1'],
    ['white space', 'mz xq'],
    ['a line feed at the end', 'mzxq\n'],
    ['unused bits that are not zero', 'mz'],
    ['a last digit that does not complete a byte', 'a'],
    ['an impossible length', 'mzxw6a'],
    ['a character outside the basic plane', 'mzx😀'],
  ])('decoding refuses text with %s', (_, text) => {
    expect(decodeBase32(text)).toBeUndefined();
  });

  test('decoding reverses encoding, and no two texts decode to the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const text = encodeBase32(bytes);
        expect(text).toMatch(/^[a-z2-7]*$/);
        expect(text.length).toBe(Math.ceil((bytes.length * 8) / 5));
        expect(decodeBase32(text)).toEqual(Buffer.from(bytes));
      }),
    );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567'), maxLength: 30 }),
        (text) => {
          const bytes = decodeBase32(text);
          if (bytes !== undefined) expect(encodeBase32(bytes)).toBe(text);
        },
      ),
    );
  });
});
