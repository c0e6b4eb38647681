/** Keeps the id of the request that was answered last, for the line that says what went wrong after it. */
export class RequestIds {
  #last: string | undefined;

  /** `undefined` where nothing was answered yet. */
  get last(): string | undefined {
    return this.#last;
  }

  note(response: Response): void {
    this.#last = response.headers.get('x-request-id') ?? this.#last;
  }
}
