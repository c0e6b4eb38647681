import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Entry, encodeEntry } from '../../../../shared/transparency/entry.ts';
import type { Seal } from '../../../../shared/transparency/seal.ts';
import { formatVerifierKey, type VerifierKey } from '../../../../shared/transparency/verifier-key.ts';
import { writeText } from '../atomic-file.ts';

/** What an auditor needs to verify a log without network: files in a folder, readable to their owner alone. */
export class LogExport {
  readonly #dir: string;
  readonly #entries: FileHandle;
  readonly #seals: Seal[] = [];

  private constructor(dir: string, entries: FileHandle) {
    this.#dir = dir;
    this.#entries = entries;
  }

  /** Begins one in that folder, which is made where it is not there. What an earlier export left is replaced at the end. */
  static async begin(dir: string): Promise<LogExport> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return new LogExport(dir, await open(join(dir, 'entries.jsonl.part'), 'w', 0o600));
  }

  /** Adds a seal, and a line for each of its entries: the line without its line feed is the entry, `null` where that is gone. */
  async add(seal: Seal, entries: readonly (Entry | undefined)[]): Promise<void> {
    this.#seals.push(seal);
    const lines = entries.map((entry) => (entry === undefined ? 'null' : new TextDecoder().decode(encodeEntry(entry))));
    await this.#entries.appendFile(lines.map((line) => `${line}\n`).join(''));
  }

  /** Writes the rest, and puts the entries in their place. */
  async finish(key: VerifierKey): Promise<void> {
    await this.#entries.close();
    const write = (name: string, text: string) => writeText(join(this.#dir, name), text, 0o600);
    await write('key.txt', `${formatVerifierKey(key)}\n`);
    await write('seals.json', `${JSON.stringify(this.#seals, undefined, 2)}\n`);
    await write('checkpoint.txt', this.#seals.at(-1)?.checkpoint ?? '');
    await rename(join(this.#dir, 'entries.jsonl.part'), join(this.#dir, 'entries.jsonl'));
  }

  /** Leaves the folder as it was. */
  async giveUp(): Promise<void> {
    await this.#entries.close();
    await rm(join(this.#dir, 'entries.jsonl.part'), { force: true });
  }
}
