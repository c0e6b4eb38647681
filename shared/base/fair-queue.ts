export interface Limits {
  readonly running: number;
  readonly runningPerOwner: number;
  readonly waitingPerOwner: number;
  readonly waitMs: number;
}

export interface Entered {
  /** Resolves when the turn begins. Disposing of the result ends the turn. Rejects after `waitMs` or on `leave`. */
  readonly turn: Promise<Disposable>;
  readonly leave: (reason: Error) => void;
}

interface OwnerQueue {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Limits concurrency, with one queue per owner, served round-robin so that no owner starves others. */
export class FairQueue {
  readonly #limits: Limits;
  readonly #queues = new Map<string, OwnerQueue>();
  #running = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  /** Runs `work` in the owner's turn. Throws `refuse()` when the owner's queue is full or the wait is too long. */
  async run<T>(owner: string, work: () => Promise<T>, refuse: () => Error): Promise<T> {
    using _turn = await this.enter(owner, refuse).turn;
    return await work();
  }

  /** Like {@link run}, but returns before the turn, so that the caller can leave the queue. */
  enter(owner: string, refuse: () => Error): Entered {
    const queue = this.#queues.get(owner) ?? { running: 0, waiting: new Set() };
    this.#queues.set(owner, queue);
    const { promise: turn, resolve, reject } = Promise.withResolvers<Disposable>();
    const begin = () => {
      clearTimeout(late);
      queue.waiting.delete(begin);
      this.#start(owner, queue);
      resolve({ [Symbol.dispose]: () => this.#end(owner, queue) });
    };
    const leave = (reason: Error) => {
      if (!queue.waiting.delete(begin)) return;
      clearTimeout(late);
      this.#forgetIdle(owner, queue);
      reject(reason);
    };
    const late = setTimeout(() => leave(refuse()), this.#limits.waitMs);
    const isFull = queue.waiting.size >= this.#limits.waitingPerOwner;
    queue.waiting.add(begin);
    if (this.#mayStart(queue)) begin();
    else if (isFull) leave(refuse());
    return { turn, leave };
  }

  #mayStart({ running }: OwnerQueue): boolean {
    return this.#running < this.#limits.running && running < this.#limits.runningPerOwner;
  }

  #start(owner: string, queue: OwnerQueue): void {
    this.#running++;
    queue.running++;
    this.#queues.delete(owner);
    this.#queues.set(owner, queue);
  }

  #end(owner: string, queue: OwnerQueue): void {
    this.#running--;
    queue.running--;
    this.#forgetIdle(owner, queue);
    this.#startNext();
  }

  #forgetIdle(owner: string, { running, waiting }: OwnerQueue): void {
    if (running === 0 && waiting.size === 0) this.#queues.delete(owner);
  }

  #startNext(): void {
    for (const queue of this.#queues.values()) {
      const [begin] = queue.waiting;
      if (begin === undefined || !this.#mayStart(queue)) continue;
      begin();
      return;
    }
  }
}
