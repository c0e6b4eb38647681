export interface Limits {
  readonly running: number;
  readonly runningPerOwner: number;
  readonly waitingPerOwner: number;
  readonly waitMs: number;
}

interface OwnerQueue {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Limits concurrency. Excess work waits in a queue per owner, served round-robin so that no owner starves others. */
export class FairQueue {
  readonly #limits: Limits;
  /** In round-robin order. */
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
    const queue = this.#queues.get(owner) ?? { running: 0, waiting: new Set() };
    this.#queues.set(owner, queue);
    if (this.#mayStart(queue)) this.#start(owner, queue);
    else await this.#waitForTurn(owner, queue, refuse);
    try {
      return await work();
    } finally {
      this.#running--;
      queue.running--;
      this.#forgetIdle(owner, queue);
      this.#startNext();
    }
  }

  #waitForTurn(owner: string, queue: OwnerQueue, refuse: () => Error): Promise<void> {
    if (queue.waiting.size >= this.#limits.waitingPerOwner) {
      this.#forgetIdle(owner, queue);
      throw refuse();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = () => {
      clearTimeout(late);
      queue.waiting.delete(begin);
      resolve();
    };
    const late = setTimeout(() => {
      queue.waiting.delete(begin);
      this.#forgetIdle(owner, queue);
      reject(refuse());
    }, this.#limits.waitMs);
    queue.waiting.add(begin);
    return promise;
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

  #forgetIdle(owner: string, { running, waiting }: OwnerQueue): void {
    if (running === 0 && waiting.size === 0) this.#queues.delete(owner);
  }

  #startNext(): void {
    for (const [owner, queue] of this.#queues) {
      const [begin] = queue.waiting;
      if (begin === undefined || !this.#mayStart(queue)) continue;
      this.#start(owner, queue);
      begin();
      return;
    }
  }
}
