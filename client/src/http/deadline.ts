/** Timers of JavaScript hold no more milliseconds than these, some 24 days. */
const LONGEST = 2 ** 31 - 1;

/** The time that a call has for all its attempts, and the caller's signal, in one. */
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

  /** Aborted once the call is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call is to end; `undefined` while it is not. */
  get reason(): 'aborted' | 'deadline_exceeded' | undefined {
    if (this.#caller?.aborted === true) return 'aborted';
    return this.signal.aborted ? 'deadline_exceeded' : undefined;
  }

  /** Whether a pause of that many milliseconds ends before the call is to. */
  allows(milliseconds: number): boolean {
    return performance.now() + milliseconds < this.#end;
  }

  /** What the promise resolves to. Rejects as soon as the call is to end. */
  within<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#ended]);
  }

  /** Resolves after that many milliseconds. Rejects as soon as the call is to end. */
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

  /** Lets go of timer and signal when the call has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#stop);
  }
}
