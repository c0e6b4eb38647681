import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64, toBase64 } from '../../src/api/base64.ts';

test('bytes are encoded as standard base64 with padding, and decoded again', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(toBase64(bytes)).toBe(text);
      expect(fromBase64(text)).toEqual(Uint8Array.from(bytes));
    }),
  );
});

test('the largest plaintext is encoded and decoded unchanged', () => {
  const bytes = new Uint8Array(65_536).map((_, at) => at % 251);
  expect(fromBase64(toBase64(bytes))).toEqual(bytes);
});

test('invalid base64 is refused', () => {
  expect(() => fromBase64('a*b=')).toThrow();
});
