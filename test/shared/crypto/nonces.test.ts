import { expect, test } from 'vitest';
import { Nonces } from '../../../shared/crypto/nonces.ts';

test.each([16, 12])('nonces of %i bytes are random, and none occurs twice', (bytes) => {
  const nonces = new Nonces(bytes);
  const made = Array.from({ length: 1_000 }, () => nonces.next());
  expect(new Set(made.map(({ length }) => length))).toEqual(new Set([bytes]));
  expect(new Set(made.map((nonce) => nonce.toString('hex'))).size).toBe(1_000);
  // Each bit is set in about half of them: in fewer than 380 or more than 620 with a chance of 2^-43.
  for (let bit = 0; bit < bytes * 8; bit++) {
    const set = made.filter((nonce) => ((nonce[bit >> 3] ?? 0) >> (bit & 7)) & 1).length;
    expect(set).toBeGreaterThan(380);
    expect(set).toBeLessThan(620);
  }
});

test('a nonce stays what it is when others are made', () => {
  const nonces = new Nonces(16);
  const first = nonces.next();
  const copy = Buffer.from(first);
  for (let made = 0; made < 1_000; made++) nonces.next();
  expect(first).toEqual(copy);
});
