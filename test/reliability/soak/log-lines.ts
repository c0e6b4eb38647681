import { z } from 'zod';

const line = z.object({ severity: z.string(), message: z.string(), error: z.string().optional() });

/** `at` is a time of `performance.now()`. */
export interface LoggedError {
  readonly at: number;
  readonly words: string;
}

/** Collects logged errors, except failed requests: the sender checks their answers. */
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
