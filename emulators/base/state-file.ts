import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { StartError } from './start-error.ts';

/** A JSON file that keeps the state of a part between runs. Without a path, nothing is kept. */
export class StateFile<State> {
  readonly #path: string | undefined;
  readonly #schema: z.ZodType<State>;
  #hasFailed = false;

  constructor(path: string | undefined, schema: z.ZodType<State>) {
    this.#path = path;
    this.#schema = schema;
  }

  /** Returns the saved state, or `undefined` if nothing is saved. Throws {@link StartError} if the file cannot be used. */
  read(): State | undefined {
    const saved = this.#path === undefined ? undefined : readIfExists(this.#path);
    if (saved === undefined) return undefined;
    try {
      return this.#schema.parse(JSON.parse(saved));
    } catch (cause) {
      const what = `${this.#path} is not a state file of this local stack`;
      throw new StartError(`${what}. Start with --fresh to delete the state of earlier runs`, { cause });
    }
  }

  /**
   * Saves the state. Returns false if it cannot be saved, for example because the disk is full. Reports the first of
   * several failures.
   */
  save(state: State): boolean {
    if (this.#path === undefined) return true;
    try {
      replaceFile(this.#path, JSON.stringify(this.#schema.encode(state)));
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) reportUnsaved(this.#path, error);
      this.#hasFailed = true;
    }
    return !this.#hasFailed;
  }
}

/** Returns the text of a file, or `undefined` if there is no such file. Throws {@link StartError} for other errors. */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    if (code === 'ENOENT') return undefined;
    throw new StartError(`${path} cannot be read (${code})`, { cause: error });
  }
}

function reportUnsaved(path: string, error: unknown): void {
  process.stderr.write(
    `Nothing can be saved to ${path} (${error instanceof Error ? error.message : error}). The stack goes on, but loses what it cannot save when it stops.\n`,
  );
}

/**
 * Writes a file that only this user can read. After a crash at any moment, even of the machine, it has either its old or
 * its new contents.
 */
export function replaceFile(path: string, text: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  // The new name is on disk only after the folder is.
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
