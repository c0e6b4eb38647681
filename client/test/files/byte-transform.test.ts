import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { byteTransform } from '../../src/files/byte-transform.ts';
import { CHUNK_LENGTH, sealPayload } from '../../src/files/payload.ts';
import { drain } from './streams.ts';

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
