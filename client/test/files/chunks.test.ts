import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { decryptStream, encryptStream, type KeyService, readFileInfo, rewrapHeader } from '../../src/index.ts';
import { KEY } from '../support/objects.ts';
import { drain } from '../support/streams.ts';

/** "Wraps" a data key by returning it. */
const service: KeyService = {
  wrap: async (_, { dek = new Uint8Array(32) }) => ({ wrapped: dek.slice(), dek }),
  unwrap: async (_, { wrapped }) => ({ dek: wrapped }),
  rewrap: async (_, { ciphertext }) => ({ ciphertext }),
};

const encrypted = (chunks: ReadableStream) => chunks.pipeThrough(encryptStream(service, KEY.id));
const decrypted = (chunks: ReadableStream) => chunks.pipeThrough(decryptStream(service));
const contentsOf = async (chunks: ReadableStream) => (await drain(decrypted(encrypted(chunks)))).output;

/** The compiler refuses chunks that are not bytes, so this stream has no type. */
const streamOf = (chunks: readonly unknown[]): ReadableStream => ReadableStream.from(chunks);

const NOT_BYTES = [
  undefined,
  null,
  '',
  'text',
  7,
  [1, 2],
  { length: 2 },
  new Date(),
  { [Symbol.toStringTag]: 'ArrayBuffer' },
];

test.each(NOT_BYTES)(
  'a chunk that is not bytes makes every stream of the library fail with a TypeError: %o',
  async (wrong) => {
    const full = new Uint8Array(65_536);
    const file = (await drain(encrypted(ReadableStream.from([full])))).output;
    const expected = new TypeError('a chunk must be bytes, such as a Uint8Array');
    for (const chunks of [[wrong], [full, wrong, full]]) {
      expect((await drain(encrypted(ReadableStream.from(chunks)))).error).toEqual(expected);
    }
    for (const chunks of [[wrong], [file.subarray(0, 100), wrong, file.subarray(100)]]) {
      expect((await drain(decrypted(ReadableStream.from(chunks)))).error).toEqual(expected);
      const rewrapped = streamOf(chunks).pipeThrough(rewrapHeader(service));
      expect((await drain(rewrapped)).error).toEqual(expected);
      await expect(readFileInfo(streamOf(chunks))).rejects.toThrow(expected);
    }
  },
);

const inOtherRealm = (code: string): unknown => runInNewContext(code);
const shared = new Uint8Array(new SharedArrayBuffer(4));
shared.set([1, 2, 3, 4]);

test.each([
  ['a Buffer', Buffer.of(1, 2, 3, 4)],
  ['a part of a larger buffer', Uint8Array.of(0, 1, 2, 3, 4, 5).subarray(1, 5)],
  ['an ArrayBuffer', Uint8Array.of(1, 2, 3, 4).buffer],
  ['a DataView', new DataView(Uint8Array.of(0, 1, 2, 3, 4).buffer, 1)],
  ['a Uint16Array', new Uint16Array(Uint8Array.of(1, 2, 3, 4).buffer)],
  ['a Float32Array', new Float32Array(Uint8Array.of(1, 2, 3, 4).buffer)],
  ['shared memory', shared],
  ['a SharedArrayBuffer', shared.buffer],
  ['a Uint8Array of another realm', inOtherRealm('Uint8Array.of(1, 2, 3, 4)')],
  ['an ArrayBuffer of another realm', inOtherRealm('Uint8Array.of(1, 2, 3, 4).buffer')],
  ['a DataView of another realm', inOtherRealm('new DataView(Uint8Array.of(1, 2, 3, 4).buffer)')],
])('a chunk that is %s is its bytes', async (_, chunk) => {
  const whole = await contentsOf(ReadableStream.from([chunk, chunk]));
  expect([...whole]).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
});

test('a buffer can be used again once the promise of its write has settled', async () => {
  const { readable, writable } = encryptStream(service, KEY.id);
  const reading = drain(decrypted(readable));
  const writer = writable.getWriter();
  const buffer = new Uint8Array(200_000);
  for (const value of [1, 2, 3]) {
    await writer.write(buffer.fill(value));
    buffer.fill(0xff);
  }
  await writer.close();
  const { output } = await reading;
  expect(output.equals(Buffer.concat([1, 2, 3].map((value) => Buffer.alloc(200_000, value))))).toBe(true);
});
