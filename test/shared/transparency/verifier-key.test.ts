import { describe, expect, test } from 'vitest';
import {
  formatVerifierKey,
  isKeyName,
  makeVerifierKey,
  parseVerifierKey,
} from '../../../shared/transparency/verifier-key.ts';

/** The first key is from C2SP signed-note, the others are from the tests of Go’s sumdb/note. */
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const KEYS = [
  'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  PETER,
  'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop',
];

describe('a verifier key', () => {
  test.each(KEYS)('the verifier key %s is read and written back with the same id', (text) => {
    const [name = '', id] = text.split('+');
    const key = parseVerifierKey(text);
    expect(key).toMatchObject({ name, id });
    expect(makeVerifierKey(name, key?.publicKey ?? Buffer.of())).toEqual(key);
    expect(key && formatVerifierKey(key)).toBe(text);
  });

  test('an incomplete verifier key is refused', () => {
    for (let from = 0; from <= PETER.length; from++) {
      for (let to = from + 1; to <= PETER.length; to++) {
        if (from !== 0 || to !== PETER.length) expect(parseVerifierKey(PETER.slice(from, to))).toBeUndefined();
      }
    }
  });

  test('a verifier key with any character changed is refused', () => {
    for (let at = 0; at < PETER.length; at++) {
      const next = String.fromCharCode(PETER.charCodeAt(at) + 1);
      expect(parseVerifierKey(PETER.slice(0, at) + next + PETER.slice(at + 1))).toBeUndefined();
    }
  });

  test.each([
    [
      'a key of another length, with a matching id',
      'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
    ],
    [
      'another type of signature, with a matching id',
      'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    ],
    ['an empty text', ''],
    ['a line feed at the end', `${PETER}\n`],
    ['white space at the start', ` ${PETER}`],
    ['two keys', `${PETER}+${PETER}`],
  ])('a malformed verifier key is refused: %s', (_, text) => {
    expect(parseVerifierKey(text)).toBeUndefined();
  });

  test('no verifier key is made from an invalid name or an invalid public key', () => {
    const publicKey = Buffer.alloc(32);
    expect(makeVerifierKey('a', publicKey).name).toBe('a');
    for (const name of ['', 'a b', 'a+b']) expect(() => makeVerifierKey(name, publicKey)).toThrow(RangeError);
    for (const bytes of [0, 31, 33]) expect(() => makeVerifierKey('a', Buffer.alloc(bytes))).toThrow(RangeError);
  });
});

test.each(['', 'a b', 'a+b', 'a\n', '\u00a0', 'a\u0085b', 'a\u2028b', 'a\u3000b', 'a\ud800b'])(
  'the key name %j is refused',
  (name) => {
    expect(isKeyName(name)).toBe(false);
  },
);

test.each(['a', 'example.com/log', 'encryption-service.local/01890a5d-ac96-774b-bcce-b302099a8057', 'köy', '🔑'])(
  'the key name %s is accepted',
  (name) => {
    expect(isKeyName(name)).toBe(true);
  },
);
