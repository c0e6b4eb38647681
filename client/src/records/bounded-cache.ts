import { isOver, type Moment, thisMoment } from './age.ts';

/** An LRU cache. Reading an entry does not extend its lifetime. */
export class BoundedCache<Value> {
  readonly #maxAgeMs: number;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, { readonly value: Value; readonly madeAt: Moment }>();

  constructor(maxAgeMs: number, maxEntries: number) {
    this.#maxAgeMs = maxAgeMs;
    this.#maxEntries = maxEntries;
  }

  /** Returns the value, or `undefined` if the entry is missing or has expired. */
  get(name: string): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    if (isOver(entry.madeAt, this.#maxAgeMs)) return undefined;
    this.#entries.set(name, entry);
    return entry.value;
  }

  /** Stores a value. Replaces the entry of the same name, or the least recently used entry if the cache is full. */
  set(name: string, value: Value, madeAt = thisMoment()): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, madeAt });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Deletes the entry only if it still has this value. */
  delete(name: string, value: Value): void {
    if (this.#entries.get(name)?.value === value) this.#entries.delete(name);
  }

  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }
}
