/** How much work a {@link FairQueue} takes on. */
export interface Limits {
  /** Work that runs side by side. */
  readonly running: number;
  /** The same of one owner. */
  readonly runningPerOwner: number;
  /** Work of one owner that waits for its turn. */
  readonly waitingPerOwner: number;
  /** How long work waits at the most, in milliseconds. */
  readonly waitMs: number;
}

interface Line {
  running: number;
  /** What starts the work of this owner that waits, in the order of arrival. */
  readonly waiting: Set<() => void>;
}

/**
 * Runs work side by side up to a limit that its owners share. Work past the limit waits in its owner's own line, first
 * come, first served, and the lines take turns: whoever brings much waits behind their own work, not others behind it.
 */
export class FairQueue {
  readonly #limits: Limits;
  /** In the order of their turns: whose work was started last stands last. */
  readonly #lines = new Map<string, Line>();
  #running = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** How much work runs. */
  get running(): number {
    return this.#running;
  }

  /** What `work` gives, run when the owner's turn comes. Throws what `refuse` makes when too much of the owner's waits, or it waited too long. */
  async run<T>(owner: string, work: () => Promise<T>, refuse: () => Error): Promise<T> {
    const line = this.#lines.get(owner) ?? { running: 0, waiting: new Set() };
    this.#lines.set(owner, line);
    if (this.#mayStart(line)) this.#start(owner, line);
    else await this.#turn(owner, line, refuse);
    try {
      return await work();
    } finally {
      this.#running--;
      line.running--;
      this.#forgetIdle(owner, line);
      this.#startNext();
    }
  }

  #turn(owner: string, line: Line, refuse: () => Error): Promise<void> {
    if (line.waiting.size >= this.#limits.waitingPerOwner) {
      this.#forgetIdle(owner, line);
      throw refuse();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = () => {
      clearTimeout(late);
      line.waiting.delete(begin);
      resolve();
    };
    const late = setTimeout(() => {
      line.waiting.delete(begin);
      this.#forgetIdle(owner, line);
      reject(refuse());
    }, this.#limits.waitMs);
    line.waiting.add(begin);
    return promise;
  }

  #mayStart({ running }: Line): boolean {
    return this.#running < this.#limits.running && running < this.#limits.runningPerOwner;
  }

  #start(owner: string, line: Line): void {
    this.#running++;
    line.running++;
    this.#lines.delete(owner);
    this.#lines.set(owner, line);
  }

  #forgetIdle(owner: string, { running, waiting }: Line): void {
    if (running === 0 && waiting.size === 0) this.#lines.delete(owner);
  }

  #startNext(): void {
    for (const [owner, line] of this.#lines) {
      const [begin] = line.waiting;
      if (begin === undefined || !this.#mayStart(line)) continue;
      this.#start(owner, line);
      begin();
      return;
    }
  }
}
