import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../base/start-error.ts';
import { readIfExists, replaceFile } from '../base/state-file.ts';

const EXPORT_MS = 60_000;

/**
 * Keeps the latest export. A pointer file names it. The pointer file is replaced atomically, so it always names a
 * complete export, even after a crash.
 */
export class Exports {
  readonly #folder: string;
  readonly #emulator: string;
  readonly #projectId: string;
  readonly #pointer: string;
  #saving: Promise<void> = Promise.resolve();

  /** `emulator` is the emulator's address, as `host:port`. */
  constructor(folder: string, emulator: string, projectId: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.#emulator = emulator;
    this.#projectId = projectId;
    this.#pointer = join(folder, 'current');
  }

  /**
   * Returns the file that the emulator imports at startup, or `undefined` if there is no export yet. Throws
   * {@link StartError} if the pointer names no complete export: the first save would delete all exports.
   */
  get seed(): string | undefined {
    const name = readIfExists(this.#pointer)?.trim() ?? '';
    const fileOf = (folder: string) => join(this.#folder, folder, `${folder}.overall_export_metadata`);
    if (name !== '' && existsSync(fileOf(name))) return fileOf(name);
    if (name === '' && !readdirSync(this.#folder).some((found) => existsSync(fileOf(found)))) return undefined;
    throw new StartError(
      `${this.#pointer} names no complete export. Write the name of a folder in ${this.#folder} into it, such as export-1, or start with --fresh to delete all data`,
    );
  }

  /**
   * Exports the data. Waits first until an earlier export has ended. If the emulator refuses, rejects and keeps the
   * previous export.
   */
  save(): Promise<void> {
    this.#saving = this.#saving.catch(() => undefined).then(() => this.#saveNow());
    return this.#saving;
  }

  async #saveNow(): Promise<void> {
    const name = `export-${Date.now()}`;
    rmSync(join(this.#folder, name), { recursive: true, force: true });
    const response = await fetch(`http://${this.#emulator}/emulator/v1/projects/${this.#projectId}:export`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        database: `projects/${this.#projectId}/databases/(default)`,
        export_directory: this.#folder,
        export_name: name,
      }),
      // Without a deadline, an emulator that hangs would keep the stack from stopping.
      signal: AbortSignal.timeout(EXPORT_MS),
    });
    if (!response.ok) throw new Error(`the Firestore emulator did not export: ${await response.text()}`);
    replaceFile(this.#pointer, name);
    for (const old of readdirSync(this.#folder)) {
      if (old.startsWith('export-') && old !== name) rmSync(join(this.#folder, old), { recursive: true });
    }
  }
}

const MIN_INTERVAL_MS = 15_000;
/** The maximum share of the emulator's time that saving may use. */
const MAX_SHARE = 1 / 20;

/**
 * Saves changes at intervals. If saves are slow, the interval becomes longer. After a failed save, the next interval's
 * save includes the same changes.
 */
export class Autosave {
  readonly #save: () => Promise<void>;
  readonly #revision: () => number;
  #savedRevision: number;
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** Starts the first interval. `revision` must return a new number after every change. */
  constructor(save: () => Promise<void>, revision: () => number) {
    this.#save = save;
    this.#revision = revision;
    this.#savedRevision = revision();
    this.#schedule(MIN_INTERVAL_MS);
  }

  /** Saves a last time and stops. Rejects if the save fails. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
    await this.#save();
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#saveIfNew().then((next) => {
        if (this.#timer !== undefined) this.#schedule(next);
      });
    }, ms);
    this.#timer.unref();
  }

  /** Saves if anything has changed. Returns the milliseconds until the next save. */
  async #saveIfNew(): Promise<number> {
    const revision = this.#revision();
    if (revision === this.#savedRevision) return MIN_INTERVAL_MS;
    const startedAt = performance.now();
    try {
      await this.#save();
      this.#savedRevision = revision;
    } catch {
      // The emulator is stopping or busy. The next save includes these changes.
    }
    return Math.max(MIN_INTERVAL_MS, (performance.now() - startedAt) / MAX_SHARE);
  }
}
