/** The longest delay of a JavaScript timer in milliseconds, about 24 days. */
const LONGEST = 2 ** 31 - 1;

/** A call's deadline for all attempts, combined with the caller's signal. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #end: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #caller: AbortSignal | undefined;
  readonly #stop = () => this.#controller.abort(this.#caller?.reason);
  readonly #ended: Promise<never>;

  constructor(milliseconds: number, caller: AbortSignal | undefined) {
    this.#end = performance.now() + milliseconds;
    this.#ended = new Promise((_, reject) => {
      this.#controller.signal.addEventListener('abort', () => reject(this.#controller.signal.reason), { once: true });
    });
    this.#ended.catch(() => undefined);
    this.#timer = milliseconds > LONGEST ? undefined : setTimeout(this.#stop, milliseconds);
    this.#caller = caller;
    caller?.addEventListener('abort', this.#stop, { once: true });
    if (caller?.aborted === true) this.#stop();
  }

  /** The signal for requests. It is aborted when the call ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call must end, or `undefined` while the call may continue. */
  get reason(): 'aborted' | 'deadline_exceeded' | undefined {
    if (this.#caller?.aborted === true) return 'aborted';
    return this.signal.aborted ? 'deadline_exceeded' : undefined;
  }

  /** Whether a pause of this length would end before the deadline. */
  allows(milliseconds: number): boolean {
    return performance.now() + milliseconds < this.#end;
  }

  /** Returns the result of the work. Rejects as soon as the call must end. */
  within<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#ended]);
  }

  /** Waits for this time. Rejects as soon as the call must end. */
  async pause(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.within(
        new Promise((resolve) => {
          timer = setTimeout(resolve, milliseconds);
        }),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#stop);
  }
}
