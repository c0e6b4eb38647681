import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { type ByteTransform, byteTransform } from '../../src/files/byte-transform.ts';
import { CHUNK_LENGTH, sealPayload } from '../../src/files/payload.ts';
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
