/**
 * A time that the service answered. A `Date` has milliseconds, the service has microseconds: as JSON, and as `since` or
 * `until`, this is to the digit what the service answered, unless it was set to another time.
 */
export class Timestamp extends Date {
  readonly #text: string;
  readonly #milliseconds: number;

  /** Throws a `RangeError` for what is no RFC 3339 time. */
  constructor(text: string) {
    super(text);
    this.#text = text;
    this.#milliseconds = this.getTime();
    if (Number.isNaN(this.#milliseconds)) throw new RangeError('not an RFC 3339 time');
  }

  override toJSON(): string {
    return this.getTime() === this.#milliseconds ? this.#text : this.toISOString();
  }
}
