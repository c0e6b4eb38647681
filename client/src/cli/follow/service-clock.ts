/** The time of the service, from the `Date` header of its latest response. */
export class ServiceClock {
  #us = Date.now() * 1000;

  /** Microseconds since the epoch. The header has whole seconds. */
  get us(): number {
    return this.#us;
  }

  note(response: Response): void {
    const ms = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(ms)) this.#us = ms * 1000;
  }
}
