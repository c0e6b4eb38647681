import { ByteReader } from './byte-reader.ts';

/** A transform of bytes for `ReadableStream.pipeThrough`. */
export interface ByteTransform {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/**
 * Makes a transform of a generator that reads its input and yields its output. The generator starts when the output is
 * first read, and runs no further ahead than one chunk. What it throws is an error of both streams.
 */
export function byteTransform(generate: (input: ByteReader) => AsyncGenerator<Uint8Array>): ByteTransform {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const input = new ByteReader(readable);
  return { writable, readable: byteStream(generate(input), input) };
}

/** What a generator yields, as a stream. Its input is cancelled where the generator throws, or the stream is. */
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
