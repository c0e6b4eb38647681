import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type KmsState, kmsState } from './model.ts';

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Returns the saved state, or an empty state if there is no file. Throws if the file is not a valid state file. */
export async function readStateFile(file: string): Promise<KmsState> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) return { keyRings: [], cryptoKeys: [] };
  try {
    return kmsState.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${file} is not a state file of the KMS emulator`, { cause });
  }
}

/** Replaces the file atomically. Resolves when the state is on disk. */
export async function writeStateFile(file: string, state: KmsState): Promise<void> {
  const text = JSON.stringify(z.encode(kmsState, state));
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.tmp`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  // Sync the directory, because the rename survives a crash only after that.
  const directory = await open(dirname(file), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * Saves changes with `save`, one save at a time. One further save covers all changes during a save. `save` must read
 * the current state. Calls `report` with the first of several failures.
 */
export class Saver {
  readonly #save: () => Promise<void>;
  readonly #report: (error: unknown) => void;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #hasFailed = false;

  constructor(save: () => Promise<void>, report: (error: unknown) => void) {
    this.#save = save;
    this.#report = report;
  }

  changed(): void {
    this.#queued ??= this.#saveAfter(this.#running);
  }

  /** Resolves when all changes so far are saved, or could not be saved. The next call then tries again. */
  saved(): Promise<void> {
    if (this.#hasFailed && this.#queued === undefined) this.changed();
    return this.#queued ?? this.#running;
  }

  async #saveAfter(previous: Promise<void>): Promise<void> {
    await previous;
    this.#running = this.#queued ?? this.#running;
    this.#queued = undefined;
    try {
      await this.#save();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#report(error);
      this.#hasFailed = true;
    }
  }
}
