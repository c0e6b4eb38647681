/** A `Date` that keeps the microseconds of the service's times when it is converted to JSON or put into a query. */
export class Timestamp extends Date {
  readonly #text: string;
  readonly #milliseconds: number;

  /** Throws a `RangeError` unless the text is an RFC 3339 time. */
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
