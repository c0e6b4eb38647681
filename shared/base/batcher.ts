import { DeadlineExceeded } from './deadline.ts';

interface Waiting<Ask, Answer> extends PromiseWithResolvers<Answer> {
  readonly ask: Ask;
  readonly name: string | undefined;
  /** When it is rejected: `Infinity` once it was. */
  dueMs: number;
  /** How many asked the same. */
  askers: number;
}

interface OwnerQueue<Ask, Answer> extends Slots {
  /** Oldest first. */
  readonly waiting: Waiting<Ask, Answer>[];
  /** Those that others may join. */
  byName: Map<string, Waiting<Ask, Answer>>;
  inFlight: number;
}

interface Slots {
  /** Those that are held after large batches, the oldest first. */
  readonly held: Set<HeldSlot>;
  /** How many have asked for whom none was released yet. */
  askers: number;
}

interface HeldSlot {
  /** How many its batch served. */
  readonly askers: number;
  readonly release: () => void;
}

export interface BatchLimits {
  readonly inFlight: number;
  /** By default as many as `inFlight`. */
  readonly inFlightPerOwner?: number;
  /** Requests in one call, or what they may weigh together. */
  readonly asksPerCall: number;
  /** How long a request waits for its answer, its wait for a call included. */
  readonly waitMs: number;
  /** How long a slot is held at most after a large batch, {@link HOLD_MS} by default. */
  readonly holdMs?: number;
}

/** How a batcher sees requests. */
export interface Asking<Ask> {
  /** For how many a request counts, one by default; one that alone exceeds the limit has a call to itself. */
  readonly weigh?: (ask: Ask) => number;
  /** Names what is asked: whoever asks the same as one that has just begun to wait shares its answer, and its deadline. */
  readonly nameOf?: (ask: Ask) => string;
}

/** For how much of its wait a request can be joined: many times what a call takes, and nobody's deadline comes much too early. */
const JOINABLE = 0.1;

/**
 * Requests in a large batch, with those that joined. After its call its owner's slot is held until nearly as many have asked
 * again, but not for long: the next batch is then nearly as large, which saves processor time.
 */
const LARGE_BATCH = 8;
/** Not all of them: where requests come in a steady stream, batches would grow until each hold lasts as long as it may. */
const ENOUGH = 0.75;
const HOLD_MS = 8;

/**
 * Batches requests that arrive while a call is in flight into the next call, so no answer is older than its request.
 * Each call carries the requests of one owner. Owners take slots in round-robin order, so a slow call delays only its
 * owner.
 */
export class Batcher<Ask, Answer> {
  readonly #call: (asks: readonly Ask[]) => Promise<readonly Answer[]>;
  readonly #limits: BatchLimits;
  readonly #asking: Asking<Ask>;
  /** In round-robin order. */
  readonly #queues = new Map<string, OwnerQueue<Ask, Answer>>();
  /** Batches whose calls have not answered. */
  readonly #unanswered: Waiting<Ask, Answer>[][] = [];
  #watch: NodeJS.Timeout | undefined;
  #inFlight = 0;
  #scheduled = false;

  /** `call` returns one answer for each request, in order. When it throws, all requests of that call fail. */
  constructor(
    call: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
    limits: BatchLimits,
    asking: Asking<Ask> = {},
  ) {
    this.#call = call;
    this.#limits = limits;
    this.#asking = asking;
  }

  get waiting(): number {
    return this.#queues.values().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  get owners(): number {
    return this.#queues.size;
  }

  /** Returns the answer to one request. Throws `DeadlineExceeded` when it does not come in time, or the call's error. */
  ask(ask: Ask, owner = ''): Promise<Answer> {
    const name = this.#asking.nameOf?.(ask);
    const queue = this.#queueOf(owner);
    const dueMs = performance.now() + this.#limits.waitMs;
    const same = name === undefined ? undefined : queue.byName.get(name);
    const isJoinable = same !== undefined && dueMs - same.dueMs <= JOINABLE * this.#limits.waitMs;
    const waiting = isJoinable ? same : this.#enqueue(queue, ask, name, dueMs);
    waiting.askers++;
    queue.askers++;
    releaseHeld(queue);
    return waiting.promise;
  }

  #enqueue(queue: OwnerQueue<Ask, Answer>, ask: Ask, name: string | undefined, dueMs: number): Waiting<Ask, Answer> {
    const waiting = { ask, name, dueMs, askers: 0, ...Promise.withResolvers<Answer>() };
    if (name !== undefined) queue.byName.set(name, waiting);
    queue.waiting.push(waiting);
    this.#watch ??= this.#watchUntil(dueMs);
    this.#schedule();
    return waiting;
  }

  #queueOf(owner: string): OwnerQueue<Ask, Answer> {
    const known = this.#queues.get(owner);
    if (known !== undefined) return known;
    const queue = { waiting: [], byName: new Map(), inFlight: 0, held: new Set<HeldSlot>(), askers: 0 };
    this.#queues.set(owner, queue);
    return queue;
  }

  /** One timer for all requests: they run out of time in the order in which they came. */
  #watchUntil(dueMs: number): NodeJS.Timeout {
    const look = () => {
      const now = performance.now();
      for (const batch of this.#unanswered) this.#reject(batch.filter((waiting) => waiting.dueMs <= now));
      this.#rejectLate();
      const dues = [...this.#unanswered, ...this.#queues.values().map(({ waiting }) => waiting)].map(earliestDueMs);
      const next = Math.min(...dues);
      this.#watch = next === Number.POSITIVE_INFINITY ? undefined : this.#watchUntil(next);
    };
    return setTimeout(look, dueMs - performance.now()).unref();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#rejectLate();
      this.#startAll();
    });
  }

  #startAll(): void {
    const { inFlight, inFlightPerOwner = inFlight } = this.#limits;
    for (const [owner, queue] of this.#queues) {
      if (this.#inFlight >= inFlight) return;
      if (queue.waiting.length === 0 || queue.inFlight >= inFlightPerOwner) continue;
      this.#queues.delete(owner);
      this.#queues.set(owner, queue);
      const batch = this.#take(queue, this.#fitting(queue.waiting));
      void this.#start(owner, queue, batch);
    }
  }

  /** The number of waiting requests, at least one, that go in one call. */
  #fitting(waiting: readonly Waiting<Ask, Answer>[]): number {
    const { weigh = () => 1 } = this.#asking;
    let weight = 0;
    const tooMany = waiting.findIndex(({ ask }) => {
      weight += weigh(ask);
      return weight > this.#limits.asksPerCall;
    });
    return tooMany < 0 ? waiting.length : Math.max(1, tooMany);
  }

  /** Takes the oldest of those that wait. */
  #take(queue: OwnerQueue<Ask, Answer>, count: number): Waiting<Ask, Answer>[] {
    const taken = queue.waiting.splice(0, count);
    queue.askers = countAskers(queue.waiting);
    // A new map, for V8 keeps what was in an old one for as long as it keeps the old one's memory.
    if (this.#asking.nameOf !== undefined) queue.byName = byName(queue.waiting);
    return taken;
  }

  /** Rejects requests that have waited too long for a call: their clients have given up, and a backlog must not build up. */
  #rejectLate(): void {
    const now = performance.now();
    for (const [owner, queue] of this.#queues) {
      const onTime = queue.waiting.findIndex(({ dueMs }) => dueMs > now);
      if (onTime === 0) continue;
      this.#reject(this.#take(queue, onTime < 0 ? queue.waiting.length : onTime));
      this.#forgetIdle(owner, queue);
    }
  }

  #reject(late: readonly Waiting<Ask, Answer>[]): void {
    for (const waiting of late) {
      waiting.dueMs = Number.POSITIVE_INFINITY;
      waiting.reject(new DeadlineExceeded(`no answer in ${this.#limits.waitMs} ms`));
    }
  }

  #release(owner: string, queue: OwnerQueue<Ask, Answer>): void {
    queue.inFlight--;
    this.#forgetIdle(owner, queue);
    this.#schedule();
  }

  #forgetIdle(owner: string, { waiting, inFlight }: OwnerQueue<Ask, Answer>): void {
    if (waiting.length === 0 && inFlight === 0) this.#queues.delete(owner);
  }

  async #start(owner: string, queue: OwnerQueue<Ask, Answer>, batch: Waiting<Ask, Answer>[]): Promise<void> {
    const askers = countAskers(batch);
    this.#inFlight++;
    queue.inFlight++;
    this.#unanswered.push(batch);
    try {
      const answers = await this.#call(batch.map(({ ask }) => ask));
      for (const [index, waiting] of batch.entries()) {
        const answer = answers[index];
        if (answer === undefined) waiting.reject(new Error('a call left an ask unanswered'));
        else waiting.resolve(answer);
      }
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    } finally {
      this.#unanswered.splice(this.#unanswered.indexOf(batch), 1);
      // What a call leaves behind, the collector finds late: it is not to hold the requests as well.
      batch.length = 0;
      this.#inFlight--;
      this.#schedule();
      if (askers < LARGE_BATCH) this.#release(owner, queue);
      else this.#hold(owner, queue, askers);
    }
  }

  #hold(owner: string, queue: OwnerQueue<Ask, Answer>, askers: number): void {
    const slot = {
      askers,
      release: () => {
        clearTimeout(late);
        queue.held.delete(slot);
        this.#release(owner, queue);
      },
    };
    const late = setTimeout(slot.release, this.#limits.holdMs ?? HOLD_MS);
    queue.held.add(slot);
    releaseHeld(queue);
  }
}

/** Releases the slot that has been held for longest, if enough have asked again. */
function releaseHeld(queue: Slots): void {
  const [slot] = queue.held;
  if (slot === undefined || queue.askers < ENOUGH * slot.askers) return;
  queue.askers = 0;
  slot.release();
}

function countAskers(waiting: readonly { readonly askers: number }[]): number {
  return waiting.reduce((sum, { askers }) => sum + askers, 0);
}

function byName<Ask, Answer>(waiting: readonly Waiting<Ask, Answer>[]): Map<string, Waiting<Ask, Answer>> {
  return new Map(waiting.flatMap((one) => (one.name === undefined ? [] : [[one.name, one]])));
}

function earliestDueMs(waiting: readonly { readonly dueMs: number }[]): number {
  return Math.min(...waiting.map(({ dueMs }) => dueMs));
}
