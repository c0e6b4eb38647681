import { fstatSync, read } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { kindOf, refuseClosed, refuseUnreadableName, unusable } from './descriptor.ts';

const CHUNK_LENGTH = 262_144;

const readFrom = promisify(read);

export interface Input {
  readonly stream: ReadableStream<Uint8Array>;
  /** The number of bytes to read; only known for a file. */
  readonly size: number | undefined;
}

/** `-` as a file name means standard input. */
export const STANDARD = '-';

/** Opens a file or standard input. Reads the first bytes of a file, so that an unreadable file fails early. */
export async function openInput(path: string = STANDARD): Promise<Input> {
  if (path === STANDARD) return openStandardInput();
  refuseUnreadableName(path);
  const file = await open(path, 'r');
  try {
    const size = kindOf(file.fd, path) === 'file' ? (await file.stat()).size : undefined;
    const chunks = chunksOf(file.fd, path, size, () => file.close());
    return await begin(chunks, size);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openStandardInput(): Promise<Input> {
  const name = 'standard input';
  const kind = kindOf(0, name);
  refuseClosed(0, name);
  if (kind === 'file' || kind === 'device') {
    const size = kind === 'file' ? await restOf(0) : undefined;
    return begin(chunksOf(0, name, size), size);
  }
  // Node replaces a socket that it cannot read, such as a datagram socket, by an empty input.
  if (!(process.stdin instanceof Socket)) throw unusable(name, `is a ${kind} that cannot be read`);
  return { stream: streamOf(process.stdin[Symbol.asyncIterator]()), size: undefined };
}

/** Returns how many bytes of a file are left to read, or `undefined` if the system does not tell the position. */
async function restOf(fd: number): Promise<number | undefined> {
  const info = await readFile(`/proc/self/fdinfo/${fd}`, 'utf8').catch(() => '');
  const [, position] = /^pos:\s*(\d+)$/m.exec(info) ?? [];
  return position === undefined ? undefined : Math.max(0, fstatSync(fd).size - Number(position));
}

/** Yields the bytes of a file or device. Throws if a file ends before it has yielded `size` bytes. */
async function* chunksOf(
  fd: number,
  name: string,
  size: number | undefined,
  close: () => Promise<void> = async () => undefined,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  try {
    for (;;) {
      // Some versions of Node read nothing unless all five arguments are given.
      const { bytesRead, buffer } = await readFrom(fd, new Uint8Array(CHUNK_LENGTH), 0, CHUNK_LENGTH, null);
      if (bytesRead === 0) break;
      total += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    if (total < (size ?? 0))
      throw unusable(name, `ended after ${total} of ${size} bytes; it changed while it was read`);
  } catch (error) {
    // The system's read errors do not contain the path.
    throw error instanceof Error ? Object.assign(error, { path: name }) : error;
  } finally {
    await close();
  }
}

async function begin(iterator: AsyncIterator<Uint8Array>, size: number | undefined): Promise<Input> {
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
