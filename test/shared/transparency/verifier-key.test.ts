import { describe, expect, test } from 'vitest';
import {
  formatVerifierKey,
  isKeyName,
  makeVerifierKey,
  parseVerifierKey,
} from '../../../shared/transparency/verifier-key.ts';

/** The first of C2SP signed-note, the others of the tests of Go's sumdb/note. */
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const KEYS = [
  'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  PETER,
  'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop',
];

describe('a verifier key', () => {
  test.each(KEYS)('%s is read, its id computed from name and public key, and written back', (text) => {
    const [name = '', id] = text.split('+');
    const key = parseVerifierKey(text);
    expect(key).toMatchObject({ name, id });
    expect(makeVerifierKey(name, key?.publicKey ?? Buffer.of())).toEqual(key);
    expect(key && formatVerifierKey(key)).toBe(text);
  });

  test('is not read from a part of it', () => {
    for (let from = 0; from <= PETER.length; from++) {
      for (let to = from + 1; to <= PETER.length; to++) {
        if (from !== 0 || to !== PETER.length) expect(parseVerifierKey(PETER.slice(from, to))).toBeUndefined();
      }
    }
  });

  test('is not read with any one character changed', () => {
    for (let at = 0; at < PETER.length; at++) {
      const next = String.fromCharCode(PETER.charCodeAt(at) + 1);
      expect(parseVerifierKey(PETER.slice(0, at) + next + PETER.slice(at + 1))).toBeUndefined();
    }
  });

  test.each([
    [
      'a key of another length, with its own id',
      'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
    ],
    [
      'another type of signature, with its own id',
      'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    ],
    ['nothing', ''],
    ['a line feed after it', `${PETER}\n`],
    ['a white space before it', ` ${PETER}`],
    ['a second key after it', `${PETER}+${PETER}`],
  ])('is not read from %s', (_, text) => {
    expect(parseVerifierKey(text)).toBeUndefined();
  });

  test('is not made of a name or a public key that cannot be one', () => {
    const publicKey = Buffer.alloc(32);
    expect(makeVerifierKey('a', publicKey).name).toBe('a');
    for (const name of ['', 'a b', 'a+b']) expect(() => makeVerifierKey(name, publicKey)).toThrow(RangeError);
    for (const bytes of [0, 31, 33]) expect(() => makeVerifierKey('a', Buffer.alloc(bytes))).toThrow(RangeError);
  });
});

test.each(['', 'a b', 'a+b', 'a\n', '\u00a0', 'a\u0085b', 'a\u2028b', 'a\u3000b', 'a\ud800b'])(
  'no key has the name %j: empty, white space of Unicode, a plus sign, half a character',
  (name) => {
    expect(isKeyName(name)).toBe(false);
  },
);

test.each(['a', 'example.com/log', 'encryption-service.local/01890a5d-ac96-774b-bcce-b302099a8057', 'köy', '🔑'])(
  'a key may have the name %s',
  (name) => {
    expect(isKeyName(name)).toBe(true);
  },
);
