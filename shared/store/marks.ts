import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The number of remembered marks. Each needs about a hundred bytes. */
const KEPT = 50_000;

/** Documents that tell a scheduled function where to look. Each process writes separate documents, to avoid contention. */
export class Marks {
  readonly #left = new LRUCache<string, true>({ max: KEPT });
  readonly #process = randomBytes(4).toString('hex');

  /** Returns the id of this process's mark with this name, or `undefined` if it is already stored. */
  idToLeave(name: string): string | undefined {
    return this.#left.has(name) ? undefined : `${name}_${this.#process}`;
  }

  noteLeft(names: readonly string[]): void {
    for (const name of names) this.#left.set(name, true);
  }
}
