import { z } from 'zod';

const line = z.object({ severity: z.string(), message: z.string(), error: z.string().optional() });

/** An error that a process logged, with its time from `performance.now()`. */
export interface LoggedError {
  readonly at: number;
  readonly words: string;
}

/** Collects the errors in the log of a process, except errors of requests, because the answers already show these. */
export class LogLines {
  readonly errors: LoggedError[] = [];
  lines = 0;
  #rest = '';

  take(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const text of lines) if (text.startsWith('{')) this.#read(text);
  }

  #read(text: string): void {
    this.lines += 1;
    const { severity, message, error } = line.parse(JSON.parse(text));
    if (severity !== 'ERROR' || message === 'request failed') return;
    this.errors.push({ at: performance.now(), words: error === undefined ? message : `${message}: ${error}` });
  }
}
