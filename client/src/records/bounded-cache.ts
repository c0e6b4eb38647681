/** Remembers values by name, the most recently used ones, each for a time that its use does not prolong. */
export class BoundedCache<Value> {
  readonly #maxAgeMs: number;
  readonly #maxEntries: number;
  /** In the order of last use. */
  readonly #entries = new Map<string, { readonly value: Value; readonly madeAt: number }>();

  constructor(maxAgeMs: number, maxEntries: number) {
    this.#maxAgeMs = maxAgeMs;
    this.#maxEntries = maxEntries;
  }

  /** The value of that name; `undefined` where there is none or its time is over. */
  get(name: string): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    if (performance.now() - entry.madeAt >= this.#maxAgeMs) return undefined;
    this.#entries.set(name, entry);
    return entry.value;
  }

  /** Remembers a value from now on, in place of that of the same name, or of the one that was not used for longest. */
  set(name: string, value: Value): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, madeAt: performance.now() });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Forgets the value, if it is still the one of that name. */
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
