import { randomBytes } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import { type ByteTransform, byteTransform } from '../../src/files/byte-transform.ts';
import { CHUNK_LENGTH, sealPayload } from '../../src/files/payload.ts';
import { decryptStream, encryptStream, type KeyService, readFileInfo, rewrapHeader } from '../../src/index.ts';
import { KEY } from '../support/objects.ts';
import { drain } from '../support/streams.ts';

const SEALED_CHUNK = CHUNK_LENGTH + 16;
const NONCE = 16;

const sealing = () => byteTransform((input) => sealPayload(randomBytes(16), input));

/** Returns an endless source that counts its pulls and records why it was cancelled. */
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
    const { readable, writable } = byteTransform((input) => sealPayload(randomBytes(16), input), controller.signal);
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    if (chunksBefore > 0) {
      void writer.write(randomBytes(3 * CHUNK_LENGTH)).catch(() => undefined);
      await reader.read();
    }
    controller.abort('enough');
    const failed = { code: 'aborted', cause: 'enough' };
    await expect(writer.closed).rejects.toMatchObject(failed);
    await expect(readAll(reader)).rejects.toMatchObject(failed);
  }
});

test('with a signal that is aborted already, the streams fail with aborted', async () => {
  const { readable } = byteTransform((input) => sealPayload(randomBytes(16), input), AbortSignal.abort('late'));
  await expect(readAll(readable.getReader())).rejects.toMatchObject({ code: 'aborted', cause: 'late' });
});

test.each([
  [
    'ended',
    async ({ readable, writable }: ByteTransform) => {
      await Promise.all([writable.close(), drain(readable)]);
    },
  ],
  ['was cancelled', async ({ readable }: ByteTransform) => readable.cancel('not needed')],
  [
    'failed',
    async ({ readable, writable }: ByteTransform) => {
      await Promise.all([writable.abort('gone'), drain(readable)]);
    },
  ],
])('a transform that %s no longer listens to its signal', async (_, finish) => {
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, 'removeEventListener');
  const added = vi.spyOn(signal, 'addEventListener');
  await finish(byteTransform((input) => sealPayload(randomBytes(16), input), signal));
  expect(removed.mock.calls).toEqual(added.mock.calls);
});

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

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
});
