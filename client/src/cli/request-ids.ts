/** Keeps the id of the last response, which error messages contain. */
export class RequestIds {
  #last: string | undefined;

  get last(): string | undefined {
    return this.#last;
  }

  note(response: Response): void {
    this.#last = response.headers.get('x-request-id') ?? this.#last;
  }
}
