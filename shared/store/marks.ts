import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Some hundred bytes each. */
const KEPT = 50_000;

/**
 * The marks that this process is known to have left: documents that tell a scheduled function where there is work. A process
 * leaves each but once, under an id of its own, so that none waits for another that leaves the same.
 */
export class Marks {
  readonly #left = new LRUCache<string, true>({ max: KEPT });
  readonly #process = randomBytes(4).toString('hex');

  /** The id of this process's mark of that name; `undefined` where it is there already. */
  idToLeave(name: string): string | undefined {
    return this.#left.has(name) ? undefined : `${name}_${this.#process}`;
  }

  /** Notes marks that are stored now. */
  noteLeft(names: readonly string[]): void {
    for (const name of names) this.#left.set(name, true);
  }
}
