import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';

const TAIL_LENGTH = 4096;
const TAIL_LINES = 10;

/** Appends a child process's output to a file, if there is one. Keeps the last lines to explain a failed start. */
export interface ProcessLog {
  follow(stream: Readable): void;
  tail(): string;
  close(): void;
}

/** Opens the log. Without a file, only the last lines are kept, in memory. */
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
