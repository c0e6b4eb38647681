import { DeadlineExceeded } from './deadline.ts';
import { RecentTimes } from './recent-times.ts';

interface Waiting<Ask, Answer> extends PromiseWithResolvers<Answer> {
  readonly ask: Ask;
  readonly deadline: NodeJS.Timeout;
}

interface OwnerQueue<Ask, Answer> {
  waiting: Waiting<Ask, Answer>[];
  inFlight: number;
  leftBehind: number;
}

export interface BatchLimits {
  /** The maximum number of calls of one owner at a time, not counting late calls. */
  readonly inFlight: number;
  /** The maximum number of late calls of one owner: slow calls that continue while the next call starts. */
  readonly leftBehind: number;
  /** The most requests per call. If requests have weights, the largest total weight. */
  readonly asksPerCall: number;
  /** The deadline of a request in milliseconds, including the wait for a call. */
  readonly waitMs: number;
}

/** Returns one answer per request, in order. `late` resolves when a second, parallel call may be faster. */
type Call<Ask, Answer> = (asks: readonly Ask[], late: Promise<void>) => Promise<readonly Answer[]>;

/** At most this share of calls is repeated. A burst may contain `REPEATED_AT_ONCE` repetitions. */
const REPEATED_SHARE = 0.1;
const REPEATED_AT_ONCE = 10;
/** Timers are not accurate enough to detect a shorter delay. */
const LATE_AT_LEAST_MS = 10;

/**
 * Answers several requests with one call. A request that arrives during a call waits for the next call, so no answer is
 * older than its request. Each call contains the requests of one owner, so a slow call does not delay other owners.
 */
export class Batcher<Ask, Answer> {
  readonly #call: Call<Ask, Answer>;
  readonly #limits: BatchLimits;
  readonly #weigh: (ask: Ask) => number;
  readonly #queues = new Map<string, OwnerQueue<Ask, Answer>>();
  readonly #times = new RecentTimes();
  #repeats = REPEATED_AT_ONCE;
  #scheduled = false;

  /** If `call` throws, all its requests fail. `weigh` returns the weight of a request, which is 1 by default. */
  constructor(call: Call<Ask, Answer>, limits: BatchLimits, weigh: (ask: Ask) => number = () => 1) {
    this.#call = call;
    this.#limits = limits;
    this.#weigh = weigh;
  }

  get waiting(): number {
    return this.#queues.values().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  get owners(): number {
    return this.#queues.size;
  }

  /** Returns the answer to one request. Throws `DeadlineExceeded` after the deadline, or the call's error. */
  ask(ask: Ask, owner = ''): Promise<Answer> {
    const queue = this.#queues.get(owner) ?? { waiting: [], inFlight: 0, leftBehind: 0 };
    this.#queues.set(owner, queue);
    const { waitMs } = this.#limits;
    const deadline = setTimeout(() => {
      queue.waiting = queue.waiting.filter((other) => other !== waiting);
      this.#forgetIdle(owner, queue);
      waiting.reject(new DeadlineExceeded(`no answer within ${waitMs} ms`));
    }, waitMs).unref();
    const waiting = { ask, deadline, ...Promise.withResolvers<Answer>() };
    queue.waiting.push(waiting);
    this.#schedule();
    return waiting.promise;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      for (const [owner, queue] of this.#queues) {
        while (queue.waiting.length > 0 && queue.inFlight < this.#limits.inFlight) void this.#start(owner, queue);
      }
    });
  }

  async #start(owner: string, queue: OwnerQueue<Ask, Answer>): Promise<void> {
    const batch = queue.waiting.splice(0, this.#fitting(queue.waiting));
    const startedAt = performance.now();
    const late = Promise.withResolvers<void>();
    let state: 'inFlight' | 'leftBehind' = 'inFlight';
    queue[state]++;
    const timer = this.#whenLate(() => {
      if (queue.leftBehind < this.#limits.leftBehind) {
        queue.inFlight--;
        queue.leftBehind++;
        state = 'leftBehind';
        this.#schedule();
      }
      if (this.#repeats < 1) return;
      this.#repeats--;
      late.resolve();
    });
    try {
      const asks = batch.map(({ ask }) => ask);
      const answers = await this.#call(asks, late.promise);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('the batch call returned fewer answers than requests'));
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      clearTimeout(timer);
      for (const { deadline } of batch) clearTimeout(deadline);
      this.#times.note(performance.now() - startedAt);
      this.#repeats = Math.min(REPEATED_AT_ONCE, this.#repeats + REPEATED_SHARE);
      queue[state]--;
      this.#forgetIdle(owner, queue);
      this.#schedule();
    }
  }

  #whenLate(late: () => void): NodeJS.Timeout | undefined {
    const { p95 } = this.#times;
    return p95 === Number.POSITIVE_INFINITY ? undefined : setTimeout(late, Math.max(LATE_AT_LEAST_MS, p95)).unref();
  }

  /** Returns how many waiting requests fit in one call, at least one. */
  #fitting(waiting: readonly Waiting<Ask, Answer>[]): number {
    let weight = 0;
    const tooMany = waiting.findIndex(({ ask }) => {
      weight += this.#weigh(ask);
      return weight > this.#limits.asksPerCall;
    });
    return tooMany < 0 ? waiting.length : Math.max(1, tooMany);
  }

  #forgetIdle(owner: string, { waiting, inFlight, leftBehind }: OwnerQueue<Ask, Answer>): void {
    if (waiting.length + inFlight + leftBehind === 0) this.#queues.delete(owner);
  }
}
