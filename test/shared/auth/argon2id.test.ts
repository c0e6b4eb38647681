import { argon2id } from 'hash-wasm';
import { describe, expect, test } from 'vitest';
import { hashSecret, verifyHash } from '../../../shared/auth/argon2id.ts';
import { makeSecret } from '../../../shared/tenancy/token.ts';

/** Hashes from the tests of the reference implementation: phc-winner-argon2, src/test.c. */
const REFERENCE = [
  '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
];

describe('Argon2id', () => {
  test('a hash is a PHC string with 19 MiB, two passes, one lane, a 16-byte salt and a 32-byte tag', async () => {
    const hash = await hashSecret(makeSecret());
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  });

  test('another implementation makes the same hash from the same secret and salt', async () => {
    const secret = makeSecret();
    const hash = await hashSecret(secret);
    const salt = Buffer.from(hash.split('$')[4] ?? '', 'base64');
    const cost = { memorySize: 19_456, iterations: 2, parallelism: 1, hashLength: 32 } as const;
    expect(await argon2id({ password: secret, salt, ...cost, outputType: 'encoded' })).toBe(hash);
  });

  test('two hashes of the same secret have different salts, and the secret matches both hashes', async () => {
    const secret = makeSecret();
    const [one, other] = await Promise.all([hashSecret(secret), hashSecret(secret)]);
    expect(one).not.toBe(other);
    expect(await verifyHash(one, secret)).toBe(true);
    expect(await verifyHash(other, secret)).toBe(true);
  });

  test.each(REFERENCE)('a secret is verified with the cost parameters in its hash: %s', async (hash) => {
    expect(await verifyHash(hash, 'password')).toBe(true);
    expect(await verifyHash(hash, 'differentpassword')).toBe(false);
  });

  test('a secret with one character changed, dropped or added does not match, nor does an empty secret', async () => {
    const [hash = ''] = REFERENCE;
    for (const secret of ['Password', 'passwor', 'password ', ' password', 'password\0', '']) {
      expect(await verifyHash(hash, secret), JSON.stringify(secret)).toBe(false);
    }
  });

  test.each([
    ['an empty text', ''],
    ['the secret itself instead of a hash', 'password'],
    ['a hash of Argon2i', '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
    ['a hash of Argon2d', '$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
    [
      'a hash of Argon2 version 1.0',
      '$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    ],
    ['no version', '$argon2id$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
    ['no tag', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ'],
    ['an empty tag', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$'],
    ['a tag that is not whole bytes', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$A'],
    ['an empty salt', '$argon2id$v=19$m=256,t=2,p=1$$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
    ['base64 padding', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ=$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4='],
    ['parameters in another order', '$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEg'],
    ['no passes', '$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEg'],
    ['too little memory', '$argon2id$v=19$m=7,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEg'],
    ['an additional field', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEg$x'],
    ['a line feed at the end', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEg\n'],
  ])('verifying a secret against an invalid hash throws: %s', async (_, hash) => {
    await expect(verifyHash(hash, 'password')).rejects.toThrow(Error);
  });

  test('the error about a malformed hash contains neither the hash nor the secret', async () => {
    await expect(verifyHash('$argon2id$HASH', 'SECRET')).rejects.toThrow(/^a stored secret hash is malformed$/);
  });
});
