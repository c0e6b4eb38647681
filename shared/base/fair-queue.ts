/** How much work may run and wait. `what` and `owner` describe it in the docs. */
export interface Turns {
  readonly what: string;
  /** Whose work takes turns. */
  readonly owner: string;
  /** The most work at a time. */
  readonly running: number;
  readonly runningPerOwner: number;
  /** If missing, any amount of work waits, for any time. */
  readonly bound?: {
    readonly waitingPerOwner: number;
    readonly waitMs: number;
    /** Makes the error for work that finds the queue full, or that has waited too long. */
    readonly refuse: () => Error;
  };
}

/** Limits concurrency, with one queue per owner, served round-robin so that no owner starves others. */
export class FairQueue {
  readonly #turns: Turns;
  readonly #running = new Map<string, number>();
  /** The waiting work of each owner. The owner with the next turn is first. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #total = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** Runs `work` in the owner's turn. Throws the error of `bound`. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    using _turn = await this.take(owner);
    return await work();
  }

  /** Resolves when the owner's turn begins. Disposing of the result ends the turn. Throws the error of `bound`. */
  async take(owner: string): Promise<Disposable> {
    return this.#mayStart(owner) ? this.#start(owner) : this.#wait(owner);
  }

  #wait(owner: string): Promise<Disposable> {
    const { bound } = this.#turns;
    const queue = this.#waiting.get(owner) ?? new Set();
    if (bound !== undefined && queue.size >= bound.waitingPerOwner) throw bound.refuse();
    this.#waiting.set(owner, queue);
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    const leave = () => {
      clearTimeout(late);
      queue.delete(begin);
      if (queue.size === 0) this.#waiting.delete(owner);
    };
    const begin = () => {
      leave();
      resolve(this.#start(owner));
    };
    const giveUp = () => {
      leave();
      reject(bound?.refuse());
    };
    const late = bound && setTimeout(giveUp, bound.waitMs);
    queue.add(begin);
    return promise;
  }

  #mayStart(owner: string): boolean {
    const { running, runningPerOwner } = this.#turns;
    return this.#total < running && (this.#running.get(owner) ?? 0) < runningPerOwner;
  }

  #start(owner: string): Disposable {
    this.#total++;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
    const queue = this.#waiting.get(owner);
    // The other owners have their turns first.
    if (queue !== undefined && this.#waiting.delete(owner)) this.#waiting.set(owner, queue);
    return { [Symbol.dispose]: () => this.#end(owner) };
  }

  #end(owner: string): void {
    this.#total--;
    const left = (this.#running.get(owner) ?? 1) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    for (const [next, [begin]] of this.#waiting) {
      if (!this.#mayStart(next)) continue;
      begin?.();
      return;
    }
  }
}
