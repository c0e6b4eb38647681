import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Entry, encodeEntry } from '../../../../shared/transparency/entry.ts';
import type { Seal } from '../../../../shared/transparency/seal.ts';
import { formatVerifierKey, type VerifierKey } from '../../../../shared/transparency/verifier-key.ts';
import { UnfinishedFile } from '../atomic-file.ts';
import { refuseUnreadableName } from '../descriptor.ts';

type Files = Readonly<Record<'key' | 'seals' | 'checkpoint' | 'entries' | 'restorations', UnfinishedFile>>;

/** The exported files, with which an auditor can verify a log offline. Only their owner can read them. */
export class LogExport {
  readonly #files: Files;
  readonly #seals: Seal[] = [];
  #failure: unknown;

  private constructor(files: Files) {
    this.#files = files;
  }

  /** Begins an export. Creates the folder if needed. An earlier export is replaced only by {@link finish}. */
  static async begin(dir: string): Promise<LogExport> {
    refuseUnreadableName(dir);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const begun: UnfinishedFile[] = [];
    const begin = async (name: string) => {
      const file = await UnfinishedFile.begin(join(dir, name));
      begun.push(file);
      return file;
    };
    try {
      return new LogExport({
        key: await begin('key.txt'),
        seals: await begin('seals.json'),
        checkpoint: await begin('checkpoint.txt'),
        entries: await begin('entries.jsonl'),
        restorations: await begin('restorations.json'),
      });
    } catch (error) {
      for (const file of begun) await file.giveUp();
      throw error;
    }
  }

  /**
   * Writes one line per entry: the entry, or `null` if the entry is missing. An error must not end the verification, so
   * {@link finish} throws it.
   */
  async add(seal: Seal, entries: readonly (Entry | undefined)[]): Promise<void> {
    this.#seals.push(seal);
    if (this.#failure !== undefined) return;
    const lines = entries.map((entry) => (entry === undefined ? 'null' : new TextDecoder().decode(encodeEntry(entry))));
    await this.#files.entries.write(lines.map((line) => `${line}\n`).join('')).catch((error) => {
      this.#failure = error;
    });
  }

  /**
   * Moves the files to their final names. Replaces a link with such a name, because it could point outside the folder.
   */
  async finish(key: VerifierKey, restorations: readonly string[]): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      await this.#writeAll(key, restorations);
    } catch (error) {
      await this.giveUp();
      throw error;
    }
  }

  async #writeAll(key: VerifierKey, restorations: readonly string[]): Promise<void> {
    await this.#files.key.write(`${formatVerifierKey(key)}\n`);
    await this.#files.seals.write(`${JSON.stringify(this.#seals, undefined, 2)}\n`);
    await this.#files.restorations.write(`${JSON.stringify(restorations, undefined, 2)}\n`);
    await this.#files.checkpoint.write(this.#seals.at(-1)?.checkpoint ?? '');
    for (const file of Object.values(this.#files)) await file.finish(undefined, 0o600);
  }

  async giveUp(): Promise<void> {
    for (const file of Object.values(this.#files)) await file.giveUp();
  }
}
