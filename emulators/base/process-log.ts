import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';

const TAIL_LENGTH = 4096;
const TAIL_LINES = 10;

/** The output of a child process: appended to a file where there is one. Its end is kept, to explain a failed start. */
export interface ProcessLog {
  /** Takes in all that the stream yields. */
  follow(stream: Readable): void;
  /** The last lines. */
  tail(): string;
  close(): void;
}

/** Opens the log. Without a file nothing but the end is kept. */
export function openProcessLog(file: string | undefined): ProcessLog {
  const out = file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 });
  let tail = '';
  return {
    follow(stream) {
      stream.on('data', (chunk: Buffer) => {
        out?.write(chunk);
        tail = (tail + chunk.toString()).slice(-TAIL_LENGTH);
      });
    },
    tail: () => tail.trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
    close: () => out?.end(),
  };
}
