import { EXIT, Failure } from './failure.ts';

/** Writes to standard output and resolves when that is done. Throws a {@link Failure} where nobody reads it any more. */
export function writeOut(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => {
      if (error) reject(isClosedPipe(error) ? new ClosedPipe() : error);
      else resolve();
    });
  });
}

/** Writes bytes to standard output as they come. Throws a {@link Failure} where nobody reads them any more. */
export async function writeChunks(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) await writeOut(chunk);
}

/** Who reads standard output has had enough, as `head` has. */
export class ClosedPipe extends Failure {
  constructor() {
    super(EXIT.local, 'closed_pipe', 'standard output was closed before all output was written');
  }
}

/** Keeps a pipe that was closed from ending the program: whoever writes is told. */
export function heedClosedPipe(): void {
  process.stdout.on('error', () => undefined);
}

function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}
