import { randomBytes } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import { armor, unarmor } from '../../src/files/armor.ts';
import { type ByteTransform, byteTransform } from '../../src/files/byte-transform.ts';
import { concat } from '../../src/files/bytes.ts';
import { CHUNK_LENGTH, openPayload, sealPayload } from '../../src/files/payload.ts';
import { decryptStream, encryptStream, type KeyService, readFileInfo, rewrapHeader } from '../../src/index.ts';
import { KEY } from '../support/objects.ts';
import { drain, readerOf, streamOf } from '../support/streams.ts';

const SEALED_CHUNK = CHUNK_LENGTH + 16;
const NONCE = 16;

const sealing = (signal?: AbortSignal) => byteTransform((input) => sealPayload(randomBytes(16), input), signal);

function endless() {
  const seen = { pulled: 0, cancelled: undefined as unknown };
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      seen.pulled++;
      controller.enqueue(randomBytes(CHUNK_LENGTH));
    },
    cancel(reason) {
      seen.cancelled = reason;
    },
  });
  return { seen, stream };
}

test('if the source fails, the output fails before the payload is complete', async () => {
  const failure = new Error('the disk is gone');
  let pulled = 0;
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulled++ < 2) controller.enqueue(randomBytes(CHUNK_LENGTH));
      else controller.error(failure);
    },
  });
  const { output, error } = await drain(source.pipeThrough(sealing()));
  expect(error).toBe(failure);
  expect([0, NONCE, NONCE + SEALED_CHUNK]).toContain(output.length);
});

test('cancelling the output cancels the source with the same reason', async () => {
  const { seen, stream } = endless();
  const reader = stream.pipeThrough(sealing()).getReader();
  await reader.read();
  await reader.read();
  const enough = new Error('enough');
  await reader.cancel(enough);
  await expect.poll(() => seen.cancelled).toBe(enough);
});

test('if the generator throws an error, the output fails and the source is cancelled', async () => {
  const { seen, stream } = endless();
  const failure = new Error('refused');
  const refusing = byteTransform(async function* (input) {
    yield await input.read(10);
    throw failure;
  });
  const { output, error } = await drain(stream.pipeThrough(refusing));
  expect([output.length, error]).toEqual([10, failure]);
  await expect.poll(() => seen.cancelled).toBe(failure);
});

test('the transform does not start before its output is read, and then reads only a few chunks ahead', async () => {
  const { seen, stream } = endless();
  let isStarted = false;
  const lazy = byteTransform(async function* (input) {
    isStarted = true;
    yield* sealPayload(randomBytes(16), input);
  });
  const reader = stream.pipeThrough(lazy).getReader();
  await new Promise(setImmediate);
  expect(isStarted).toBe(false);
  for (let part = 0; part < 20; part++) await reader.read();
  const afterTen = seen.pulled;
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  expect(seen.pulled).toBe(afterTen);
  expect(afterTen).toBeLessThan(16);
  await reader.cancel();
});

test('once the signal is aborted, both streams fail with aborted, also before the first chunk', async () => {
  for (const chunksBefore of [0, 1]) {
    const controller = new AbortController();
    const { readable, writable } = sealing(controller.signal);
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    if (chunksBefore > 0) {
      void writer.write(randomBytes(3 * CHUNK_LENGTH)).catch(() => undefined);
      await reader.read();
    }
    controller.abort('enough');
    const failed = { code: 'aborted', cause: 'enough' };
    await expect(writer.closed).rejects.toMatchObject(failed);
    reader.releaseLock();
    expect((await drain(readable)).error).toMatchObject(failed);
  }
});

test('with a signal that is aborted already, the streams fail with aborted', async () => {
  const { error } = await drain(sealing(AbortSignal.abort('late')).readable);
  expect(error).toMatchObject({ code: 'aborted', cause: 'late' });
});

test.each([
  ['ended', ({ readable, writable }: ByteTransform) => Promise.all([writable.close(), drain(readable)])],
  ['was cancelled', ({ readable }: ByteTransform) => readable.cancel('not needed')],
  ['failed', ({ readable, writable }: ByteTransform) => Promise.all([writable.abort('gone'), drain(readable)])],
])('a transform that %s no longer listens to its signal', async (_, finish) => {
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, 'removeEventListener');
  const added = vi.spyOn(signal, 'addEventListener');
  await finish(sealing(signal));
  expect(removed.mock.calls).toEqual(added.mock.calls);
});

describe('chunks', () => {
  /** "Wraps" a data key by returning it. */
  const service: KeyService = {
    wrap: async (_, { dek = new Uint8Array(32) }) => ({ wrapped: dek.slice(), dek }),
    unwrap: async (_, { wrapped }) => ({ dek: wrapped }),
    rewrap: async (_, { ciphertext }) => ({ ciphertext }),
  };

  const encrypted = (chunks: ReadableStream) => chunks.pipeThrough(encryptStream(service, KEY.id));
  const decrypted = (chunks: ReadableStream) => chunks.pipeThrough(decryptStream(service));
  const contentsOf = async (chunks: ReadableStream) => (await drain(decrypted(encrypted(chunks)))).output;

  test.each([
    undefined,
    null,
    '',
    'text',
    7,
    [1, 2],
    { length: 2 },
    new Date(),
    { [Symbol.toStringTag]: 'ArrayBuffer' },
  ])('a chunk that is not bytes makes every stream of the library fail with a TypeError: %o', async (wrong) => {
    // The compiler refuses chunks that are not bytes, so these streams have no type.
    const made = (chunks: readonly unknown[]): ReadableStream => ReadableStream.from(chunks);
    const full = new Uint8Array(65_536);
    const file = (await drain(encrypted(ReadableStream.from([full])))).output;
    const expected = new TypeError('a chunk must be bytes, such as a Uint8Array');
    for (const chunks of [[wrong], [full, wrong, full]]) {
      expect((await drain(encrypted(ReadableStream.from(chunks)))).error).toEqual(expected);
    }
    for (const chunks of [[wrong], [file.subarray(0, 100), wrong, file.subarray(100)]]) {
      expect((await drain(decrypted(ReadableStream.from(chunks)))).error).toEqual(expected);
      expect((await drain(made(chunks).pipeThrough(rewrapHeader(service)))).error).toEqual(expected);
      await expect(readFileInfo(made(chunks))).rejects.toThrow(expected);
    }
  });

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
});

const fileKey = randomBytes(16);
const seal = async (plaintext: Uint8Array) => (await drain(sealPayload(fileKey, readerOf(plaintext)))).output;
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
const others = await seal(randomBytes(plaintext.length));
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
  const [otherNonce, , other] = partsOf(others);

  test.each([
    ['the last chunk is missing', pieces(nonce, first, second, third), 3, 'truncated'],
    ['two chunks are swapped', pieces(nonce, first, third, second, last), 1, 'payload_altered'],
    ['a chunk is missing', pieces(nonce, first, third, last), 1, 'payload_altered'],
    ['a chunk occurs twice', pieces(nonce, first, first, second, third, last), 1, 'payload_altered'],
    ['the chunk before the last is missing', pieces(nonce, first, second, last), 2, 'payload_altered'],
    ['a chunk is that of another file', pieces(nonce, first, other, third, last), 1, 'payload_altered'],
    ['the nonce is that of another file', pieces(otherNonce, first, second, third, last), 0, 'payload_altered'],
  ])('decryption outputs the authenticated chunks and then fails if %s', async (_, altered, chunks, code) => {
    const { output, error } = await open(altered);
    expect(error).toMatchObject({ name: 'FormatError', code });
    expect(output).toEqual(plaintext.subarray(0, chunks * CHUNK_LENGTH));
  });

  test('a payload with another file key or any one bit changed is refused', async () => {
    const refused = { output: Buffer.alloc(0), error: { code: 'payload_altered' } };
    expect(await open(payload, randomBytes(16))).toMatchObject(refused);
    const short = await seal(Buffer.from('short'));
    for (let bit = 0; bit < short.length * 8; bit++) {
      const changed = Buffer.from(short);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await open(changed)).toMatchObject(refused);
    }
  });
});

test.each([1, 47, 48, 49, 96, 5_000])('%i bytes are unchanged after adding and removing armor', async (length) => {
  const some = randomBytes(length);
  const text = (await drain(armor(streamOf(some, 13)))).output;
  expect(text.toString()).toMatch(/^(.{0,64}\n)+$/);
  expect(await drain(unarmor(readerOf(text, 17)))).toEqual({ output: some });
});
