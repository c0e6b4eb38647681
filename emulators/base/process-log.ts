import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';

const TAIL_LENGTH = 4096;
const TAIL_LINES = 10;

/**
 * Appends the output of a child process to a file, if there is one. Keeps the last lines in memory, to explain a failed
 * start.
 */
export interface ProcessLog {
  follow(stream: Readable): void;
  tail(): string;
  close(): void;
}

/** Opens a log. Without a file, the log keeps only the last lines, in memory. */
export function openProcessLog(file: string | undefined): ProcessLog {
  const out = file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 });
  // A full disk must not end the stack, so an error only ends the log.
  out?.once('error', (error) => process.stderr.write(`The stack stopped writing ${file}: ${error.message}\n`));
  out?.on('error', () => undefined);
  let tail = '';
  return {
    follow(stream) {
      stream.on('data', (chunk: Buffer) => {
        if (!out?.destroyed) out?.write(chunk);
        tail = (tail + chunk.toString()).slice(-TAIL_LENGTH);
      });
    },
    tail: () => tail.trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
    close: () => out?.end(),
  };
}
