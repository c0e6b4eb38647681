import { DeadlineExceeded, withDeadline } from './deadline.ts';

interface Waiting<Ask, Answer> extends PromiseWithResolvers<Answer> {
  readonly ask: Ask;
  /** On the monotonic clock, in milliseconds. */
  readonly endsAt: number;
}

interface OwnerQueue<Ask, Answer> {
  readonly waiting: Waiting<Ask, Answer>[];
  inFlight: number;
}

/** How requests go together. `what`, `owner` and `past` describe it in the docs. */
export interface BatchLimits {
  readonly what: string;
  /** Whose requests share calls. */
  readonly owner: string;
  /** What the caller gets after the deadline. */
  readonly past: string;
  /** The maximum number of calls of one owner at a time. */
  readonly inFlight: number;
  /** The most requests per call. */
  readonly asksPerCall: number;
  /** The deadline of a request in milliseconds, including the wait for a call. */
  readonly waitMs: number;
}

/** Returns one answer per request, in order. After `lateMs`, the call is unusually slow. */
type Call<Ask, Answer> = (asks: readonly Ask[], lateMs: number) => Promise<readonly Answer[]>;

/** A call is late if it takes this many times as long as half of the calls, and at least 50 ms. */
const LATE = { times: 4, atLeastMs: 50 };
/** How much one call can change the estimate of the usual time. */
const STEP = 1.05;

/**
 * Answers several requests with one call. A request that arrives during a call waits for the next call, so no answer is
 * older than its request. Each call contains the requests of one owner, so a slow call does not delay other owners.
 */
export class Batcher<Ask, Answer> {
  readonly #call: Call<Ask, Answer>;
  readonly #limits: BatchLimits;
  readonly #queues = new Map<string, OwnerQueue<Ask, Answer>>();
  /** An estimate of the median time of a call: it grows with each slower call and shrinks with each faster one. */
  #usualMs = LATE.atLeastMs;

  /** If `call` throws, all its requests fail. */
  constructor(limits: BatchLimits, call: Call<Ask, Answer>) {
    this.#call = call;
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#queues.values().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  get owners(): number {
    return this.#queues.size;
  }

  /** Returns the answer to one request. Throws `DeadlineExceeded` after the deadline, or the call's error. */
  ask(ask: Ask, owner = ''): Promise<Answer> {
    const queue = this.#queues.get(owner) ?? { waiting: [], inFlight: 0 };
    this.#queues.set(owner, queue);
    const endsAt = performance.now() + this.#limits.waitMs;
    const waiting = { ask, endsAt, ...Promise.withResolvers<Answer>() };
    // Requests that arrive in the same turn of the event loop go together.
    if (queue.waiting.push(waiting) === 1) setImmediate(() => this.#send(owner, queue));
    return waiting.promise;
  }

  #send(owner: string, queue: OwnerQueue<Ask, Answer>): void {
    while (queue.waiting.length > 0 && queue.inFlight < this.#limits.inFlight) void this.#sendOne(owner, queue);
    if (queue.waiting.length + queue.inFlight > 0) return;
    // A newer queue of the owner stays.
    if (this.#queues.get(owner) === queue) this.#queues.delete(owner);
  }

  async #sendOne(owner: string, queue: OwnerQueue<Ask, Answer>): Promise<void> {
    const batch = queue.waiting.splice(0, this.#limits.asksPerCall);
    queue.inFlight++;
    const startedAt = performance.now();
    try {
      // No request has waited as long as the first one.
      const leftMs = (batch[0]?.endsAt ?? startedAt) - startedAt;
      if (leftMs <= 0) throw new DeadlineExceeded(`no call within ${this.#limits.waitMs} ms`);
      const lateMs = Math.max(LATE.atLeastMs, LATE.times * this.#usualMs);
      const asks = batch.map(({ ask }) => ask);
      const answers = await withDeadline('batch', leftMs, this.#call(asks, lateMs));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('the batch call returned fewer answers than requests'));
        else resolve(answer);
      }
      this.#usualMs *= performance.now() - startedAt > this.#usualMs ? STEP : 1 / STEP;
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      queue.inFlight--;
      setImmediate(() => this.#send(owner, queue));
    }
  }
}
