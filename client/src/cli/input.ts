import { open } from 'node:fs/promises';

const CHUNK_LENGTH = 262_144;

export interface Input {
  readonly stream: ReadableStream<Uint8Array>;
  readonly size: number | undefined;
}

/** `-` as a file name means standard input. */
export const STANDARD = '-';

/** Opens a file and reads its first bytes, so that an unreadable file fails early. */
export async function openInput(path: string = STANDARD): Promise<Input> {
  if (path === STANDARD) return { stream: streamOf(process.stdin[Symbol.asyncIterator]()), size: undefined };
  const file = await open(path, 'r');
  const { size } = await file.stat();
  const chunks = async function* () {
    try {
      for (;;) {
        const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_LENGTH));
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } catch (error) {
      // The system's read errors do not contain the path.
      throw error instanceof Error ? Object.assign(error, { path }) : error;
    } finally {
      await file.close();
    }
  };
  const iterator = chunks();
  return { stream: streamOf(iterator, await iterator.next()), size };
}

function streamOf(iterator: AsyncIterator<Uint8Array>, first?: IteratorResult<Uint8Array>): ReadableStream<Uint8Array> {
  let ahead = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = ahead ?? (await iterator.next());
        ahead = undefined;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
