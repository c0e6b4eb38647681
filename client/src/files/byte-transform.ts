import { EncryptionServiceError } from '../errors.ts';
import { ByteReader } from './byte-reader.ts';
import { type Bytes, bytesOf, unshared } from './bytes.ts';

export interface ByteTransform {
  readonly readable: ReadableStream<Bytes>;
  readonly writable: WritableStream<Uint8Array>;
}

/**
 * Returns a transform stream that runs the generator only as fast as its output is read. After an error, or a chunk
 * that is not bytes, both its readable and its writable stream fail; with `aborted` once the signal is aborted. Once a
 * write has settled, the transform no longer uses the written buffer.
 */
export function byteTransform(
  generate: (input: ByteReader) => AsyncGenerator<Uint8Array>,
  signal?: AbortSignal,
): ByteTransform {
  let stop = () => {};
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      stop = () => controller.error(aborted(signal?.reason));
      signal?.addEventListener('abort', stop);
      if (signal?.aborted) stop();
    },
    transform: (chunk, controller) => controller.enqueue(new Uint8Array(bytesOf(chunk))),
  });
  const input = new ByteReader(readable);
  return { writable, readable: byteStream(generate(input), input, () => signal?.removeEventListener('abort', stop)) };
}

function aborted(cause: unknown): EncryptionServiceError {
  return new EncryptionServiceError('aborted', 'the signal was aborted', { cause });
}

/** Returns the generator's output as a stream. Cancels the input on error or cancellation. `release` runs at the end. */
export function byteStream(
  output: AsyncGenerator<Uint8Array>,
  input: ByteReader,
  release = () => {},
): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        try {
          const { done, value } = await output.next();
          if (!done) return controller.enqueue(unshared(value));
          controller.close();
          release();
        } catch (error) {
          release();
          await input.cancel(error);
          throw error;
        }
      },
      cancel: (reason) => {
        release();
        return input.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
