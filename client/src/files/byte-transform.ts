import { ByteReader } from './byte-reader.ts';
import { bytesOf } from './bytes.ts';

export interface ByteTransform {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/**
 * Returns a transform stream that runs the generator only as fast as its output is read. After an error, or a chunk
 * that is not bytes, both its readable and its writable stream fail. Once a write has settled, the transform no longer
 * uses the written buffer.
 */
export function byteTransform(generate: (input: ByteReader) => AsyncGenerator<Uint8Array>): ByteTransform {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => controller.enqueue(new Uint8Array(bytesOf(chunk))),
  });
  const input = new ByteReader(readable);
  return { writable, readable: byteStream(generate(input), input) };
}

/** Returns the generator's output as a stream. Cancels the input on error or cancellation. */
export function byteStream(output: AsyncGenerator<Uint8Array>, input: ByteReader): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await output.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          await input.cancel(error);
          throw error;
        }
      },
      cancel: (reason) => input.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
