/** What was noted last, bounded in number: beyond that the one noted longest ago is forgotten. */
export class Recent<Name, Value> {
  readonly #limit: number;
  readonly #noted = new Map<Name, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(name: Name): Value | undefined {
    return this.#noted.get(name);
  }

  note(name: Name, value: Value): void {
    this.#noted.delete(name);
    if (this.#noted.size >= this.#limit) this.#forgetOldest();
    this.#noted.set(name, value);
  }

  forget(name: Name): void {
    this.#noted.delete(name);
  }

  #forgetOldest(): void {
    for (const oldest of this.#noted.keys()) {
      this.#noted.delete(oldest);
      return;
    }
  }
}
