import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The number of remembered marks. Each needs about a hundred bytes. */
const KEPT = 50_000;

/** Documents that tell a scheduled function where to look. Each process writes separate documents, to avoid contention. */
export class Marks {
  readonly #stored = new LRUCache<string, true>({ max: KEPT });
  readonly #process = randomBytes(4).toString('hex');

  /** Returns the id of this process's mark with this name, or `undefined` if it is already stored. */
  idToStore(name: string): string | undefined {
    return this.#stored.has(name) ? undefined : `${name}_${this.#process}`;
  }

  noteStored(names: readonly string[]): void {
    for (const name of names) this.#stored.set(name, true);
  }
}
