import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { armor, unarmor } from '../../src/files/armor.ts';
import { concat } from '../../src/files/bytes.ts';
import { CHUNK_LENGTH, openPayload, sealPayload } from '../../src/files/payload.ts';
import { drain, readerOf, streamOf } from '../support/streams.ts';

const SEALED_CHUNK = CHUNK_LENGTH + 16;
const NONCE = 16;

const fileKey = randomBytes(16);
const seal = async (plaintext: Uint8Array, key = fileKey) =>
  (await drain(sealPayload(key, readerOf(plaintext)))).output;
const open = (payload: Uint8Array, key = fileKey) => drain(openPayload(key, readerOf(payload)));

/** Returns the parts of a payload: its nonce, then its chunks. */
function partsOf(payload: Buffer): [Buffer, ...Buffer[]] {
  const chunks: Buffer[] = [];
  for (let at = NONCE; at < payload.length; at += SEALED_CHUNK) chunks.push(payload.subarray(at, at + SEALED_CHUNK));
  return [payload.subarray(0, NONCE), ...chunks];
}

/** Three whole chunks and a short one. */
const plaintext = randomBytes(3 * CHUNK_LENGTH + 1_000);
const payload = await seal(plaintext);
const [nonce, first, second, third, last] = partsOf(payload);
const pieces = (...some: (Buffer | undefined)[]) => concat(...some.map((piece) => piece ?? Buffer.alloc(0)));

test.each([0, 1, CHUNK_LENGTH - 1, CHUNK_LENGTH, CHUNK_LENGTH + 1, 2 * CHUNK_LENGTH])(
  'a payload of %i bytes is encrypted and decrypted, for every size of input chunks',
  async (length) => {
    const some = randomBytes(length);
    const sealed = (await drain(sealPayload(fileKey, readerOf(some, 1_000)))).output;
    expect(sealed.length).toBe(NONCE + length + 16 * Math.max(1, Math.ceil(length / CHUNK_LENGTH)));
    expect(await open(sealed)).toEqual({ output: some });
  },
);

test('encrypting the same plaintext twice with the same file key gives different payloads', async () => {
  const again = await seal(plaintext);
  expect(partsOf(again)[0]).not.toEqual(nonce);
  expect(partsOf(again)[1]).not.toEqual(first);
});

/** The published vectors of the format have truncated payloads. */
describe('altered payloads', () => {
  const other = (length: number) => seal(randomBytes(length));

  test.each([
    ['the last chunk is missing', pieces(nonce, first, second, third), 3, 'truncated'],
    ['two chunks are swapped', pieces(nonce, first, third, second, last), 1, 'payload_altered'],
    ['a chunk is missing', pieces(nonce, first, third, last), 1, 'payload_altered'],
    ['a chunk occurs twice', pieces(nonce, first, first, second, third, last), 1, 'payload_altered'],
    ['the chunk before the last is missing', pieces(nonce, first, second, last), 2, 'payload_altered'],
  ])('decryption outputs the authenticated chunks and then fails if %s', async (_, altered, chunks, code) => {
    const { output, error } = await open(altered);
    expect(error).toMatchObject({ name: 'FormatError', code });
    expect(output).toEqual(plaintext.subarray(0, chunks * CHUNK_LENGTH));
  });

  test('a payload that contains a chunk of another file with the same file key is refused', async () => {
    const [, , theirs] = partsOf(await other(plaintext.length));
    const { output, error } = await open(pieces(nonce, first, theirs, third, last));
    expect(error).toMatchObject({ code: 'payload_altered' });
    expect(output).toEqual(plaintext.subarray(0, CHUNK_LENGTH));
  });

  test('a payload that starts with the nonce of another file with the same file key is refused', async () => {
    const [theirs] = partsOf(await other(10));
    expect(await open(pieces(theirs, first, second, third, last))).toMatchObject({
      output: Buffer.alloc(0),
      error: { code: 'payload_altered' },
    });
  });

  test('decrypting a payload with a different file key is refused', async () => {
    expect(await open(payload, randomBytes(16))).toMatchObject({
      output: Buffer.alloc(0),
      error: { code: 'payload_altered' },
    });
  });

  test('a payload with any one bit changed is refused', async () => {
    const short = await seal(Buffer.from('short'));
    for (let bit = 0; bit < short.length * 8; bit++) {
      const changed = Buffer.from(short);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await open(changed)).toMatchObject({ output: Buffer.alloc(0), error: { code: 'payload_altered' } });
    }
  });
});

test.each([1, 47, 48, 49, 96, 5_000])('%i bytes are unchanged after adding and removing armor', async (length) => {
  const some = randomBytes(length);
  const text = (await drain(armor(streamOf(some, 13)))).output;
  expect(
    text
      .toString()
      .split('\n')
      .every((line) => line.length <= 64),
  ).toBe(true);
  expect(await drain(unarmor(readerOf(text, 17)))).toEqual({ output: some });
});
