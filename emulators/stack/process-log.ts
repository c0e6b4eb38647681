import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';

const tailLimit = 4096;

/** What a child process prints: appended to a file where there is one, its end kept to explain a failed start. */
export type ProcessLog = {
  /** Takes everything the stream brings. */
  readonly follow: (stream: Readable) => void;
  /** The last lines printed. */
  readonly tail: () => string;
  readonly close: () => void;
};

/** Opens the log; without a file nothing but the end is kept. */
export function openProcessLog(file: string | undefined): ProcessLog {
  const out = file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 });
  let tail = '';
  return {
    follow: (stream) => {
      stream.on('data', (chunk: Buffer) => {
        out?.write(chunk);
        tail = (tail + chunk.toString()).slice(-tailLimit);
      });
    },
    tail: () => tail.trimEnd().split('\n').slice(-10).join('\n'),
    close: () => out?.end(),
  };
}
