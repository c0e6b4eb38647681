import { EXIT, Failure } from './failure.ts';

/** Writes to standard output. Throws a {@link Failure} if the reader has closed the pipe. */
export function writeOut(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => {
      if (error) reject(isClosedPipe(error) ? new ClosedPipe() : error);
      else resolve();
    });
  });
}

export async function writeChunks(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) await writeOut(chunk);
}

/** The error if the program that reads the output, such as `head`, stopped reading early. */
export class ClosedPipe extends Failure {
  constructor() {
    super(EXIT.local, 'closed_pipe', 'standard output was closed before all output was written');
  }
}

/** Prevents a closed pipe from ending the program. Each later call of `writeOut` reports the error instead. */
export function reportClosedPipe(): void {
  process.stdout.on('error', () => undefined);
}

function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}
