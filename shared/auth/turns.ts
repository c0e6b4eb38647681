import { setTimeout as rest } from 'node:timers/promises';

/** How many checks of one API key may be under way or wait: half of those of all. */
const QUEUE = 16;
/** How long the next check of an API key waits after a wrong secret: so guessing at one takes a quarter of a core at most. */
const REST_MS = 50;

interface Queue {
  length: number;
  /** Resolves when the next check may begin. */
  free: Promise<unknown>;
}

/**
 * The checks of each API key, which is known by its stored hash, one after another: whoever floods one with wrong secrets
 * takes little from all the others.
 */
export class Turns {
  readonly #queues = new Map<string, Queue>();

  /** What `check` finds, once those of the same API key before it are done. Throws what `refuse` makes when too many wait. */
  async take(hash: string, check: () => Promise<boolean>, refuse: () => Error): Promise<boolean> {
    const queue = this.#queues.get(hash) ?? { length: 0, free: Promise.resolve() };
    if (queue.length >= QUEUE) throw refuse();
    queue.length++;
    this.#queues.set(hash, queue);
    const checked = queue.free.then(check);
    const isRight = checked.catch(() => false);
    queue.free = isRight.then((right) => (right ? undefined : rest(REST_MS)));
    void queue.free.then(() => this.#leave(hash, queue));
    return checked;
  }

  #leave(hash: string, queue: Queue): void {
    queue.length--;
    if (queue.length === 0) this.#queues.delete(hash);
  }
}
