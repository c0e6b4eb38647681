import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBase64 } from '../../../shared/base/base64.ts';

/** Matches groups of four characters, then optionally one padded group whose unused bits are zero. */
const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$/;

describe('base64', () => {
  test.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
  ])('the RFC 4648 §10 example "%s" is decoded from "%s"', (plain, text) => {
    expect(decodeBase64(text)?.toString()).toBe(plain);
  });

  test.each([
    ['no padding', 'Zg'],
    ['half of the padding', 'Zg='],
    ['padding that is not needed', 'Zm9v===='],
    ['too much padding', 'Zg==='],
    ['padding between groups', 'Zg==Zg=='],
    ['only padding', '===='],
    ['the URL alphabet', '_-8='],
    ['one character of the URL alphabet', '-/8='],
    ['a space at the start', ' Zm9v'],
    ['a space between characters', 'Zm 9v'],
    ['a line feed at the end', 'Zm9v\n'],
    ['a line feed between groups', 'Zm9v\nZm9v'],
    ['a carriage return and line feed', 'Zm9v\r\n'],
    ['a tab', '\tZm9v'],
    ['unused bits that are not zero before two padding characters', 'Zh=='],
    ['unused bits that are not zero before one padding character', 'Zm9='],
    ['a single character', 'Z'],
    ['a length of one more than a multiple of four', 'Zm9vZ'],
    ['a character outside the alphabet', 'Zm9*'],
    ['a non-ASCII character', 'Zm9é'],
    ['a full-width letter', '\uff3am9v'],
    ['a zero byte', 'Zm9v\0'],
    ['a data URL', 'data:;base64,Zm9v'],
  ])('decoding refuses text with %s', (_, text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });

  test('decoding accepts all 64 characters of the base64 alphabet', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    expect(decodeBase64(alphabet)?.toString('base64')).toBe(alphabet);
  });

  test('decoding reverses encoding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(decodeBase64(text)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test('decoding accepts exactly the canonical texts of RFC 4648 §4', () => {
    const unit = fc.constantFrom(...'AQgw/+9z=-_ \n');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        expect(decodeBase64(text) !== undefined).toBe(CANONICAL.test(text));
      }),
      { numRuns: 2000 },
    );
  });

  test('87,384 characters of base64 decode to 65,536 bytes', () => {
    const text = Buffer.alloc(65_536, 7).toString('base64');
    expect(text.length).toBe(87_384);
    expect(decodeBase64(text)?.length).toBe(65_536);
  });
});
