import { DeadlineExceeded } from './deadline.ts';

interface Waiting<Ask, Answer> {
  ask: Ask;
  sinceMs: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** What one owner asks. */
interface Line<Ask, Answer> {
  waiting: Waiting<Ask, Answer>[];
  inFlight: number;
}

/** What bounds a {@link Batcher}. */
export interface BatchLimits {
  /** Calls side by side. */
  readonly inFlight: number;
  /** The same of one owner; without it an owner may have them all. */
  readonly inFlightPerOwner?: number;
  /** Asks in one call. */
  readonly asksPerCall: number;
  /** How long an ask may wait for its call, in milliseconds. */
  readonly waitMs: number;
}

/**
 * A call that so many asks shared keeps its place so much longer. Under load the next one then carries more, for which all
 * calls together take a tenth less processor time; where few ask, nobody waits.
 */
const CROWD = 8;
const REST_MS = 1;

/**
 * Batches what is asked while a call is in flight: it goes together in the next one.
 *
 * Every ask joins a call that starts after it was made, so an answer is never older than its question. An ask that
 * finds a free place starts at the end of the current turn of the event loop: it waits for nobody, and takes along
 * whoever came in the same turn.
 *
 * Asks may have owners. Then each owner's go in calls of their own, and where places are short the owners take turns: a
 * call that takes long holds nobody but its owner.
 */
export class Batcher<Ask, Answer> {
  readonly #call: (asks: readonly Ask[]) => Promise<readonly Answer[]>;
  readonly #limits: BatchLimits;
  /** Of those who wait or have a call in flight, in the order of their turns: whose call was started last stands last. */
  readonly #lines = new Map<string, Line<Ask, Answer>>();
  #inFlight = 0;
  #scheduled = false;

  /** `call` answers each ask, in their order; all are of one owner. When it throws, every ask of that call fails. */
  constructor(call: (asks: readonly Ask[]) => Promise<readonly Answer[]>, limits: BatchLimits) {
    this.#call = call;
    this.#limits = limits;
  }

  /** How many asks wait for a place in a call. */
  get waiting(): number {
    return this.#lines.values().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** How many owners wait or have a call in flight: all that is remembered. */
  get owners(): number {
    return this.#lines.size;
  }

  /** The answer to one ask, in a call with others of its owner. */
  ask(ask: Ask, owner = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(owner) ?? { waiting: [], inFlight: 0 };
      this.#lines.set(owner, line);
      line.waiting.push({ ask, sinceMs: performance.now(), resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      for (const [owner, line] of this.#lines) this.#dropLate(owner, line);
      this.#startAll();
    });
  }

  /** Whose call starts goes to the end, where this comes by again: so the owners take turns. */
  #startAll(): void {
    const { inFlight, inFlightPerOwner = inFlight, asksPerCall } = this.#limits;
    for (const [owner, line] of this.#lines) {
      if (this.#inFlight >= inFlight) return;
      if (line.waiting.length === 0 || line.inFlight >= inFlightPerOwner) continue;
      this.#lines.delete(owner);
      this.#lines.set(owner, line);
      void this.#start(owner, line, line.waiting.splice(0, asksPerCall));
    }
  }

  /** Nobody waits any more for what has waited too long: while calls take long, it must not pile up before them. */
  #dropLate(owner: string, line: Line<Ask, Answer>): void {
    const before = performance.now() - this.#limits.waitMs;
    const inTime = line.waiting.findIndex(({ sinceMs }) => sinceMs > before);
    if (inTime === 0) return;
    const late = line.waiting.splice(0, inTime < 0 ? line.waiting.length : inTime);
    for (const { reject } of late) reject(new DeadlineExceeded(`no call in ${this.#limits.waitMs} ms`));
    this.#forgetIdle(owner, line);
  }

  #leave(owner: string, line: Line<Ask, Answer>): void {
    this.#inFlight--;
    line.inFlight--;
    this.#forgetIdle(owner, line);
    this.#schedule();
  }

  #forgetIdle(owner: string, { waiting, inFlight }: Line<Ask, Answer>): void {
    if (waiting.length === 0 && inFlight === 0) this.#lines.delete(owner);
  }

  async #start(owner: string, line: Line<Ask, Answer>, batch: readonly Waiting<Ask, Answer>[]): Promise<void> {
    this.#inFlight++;
    line.inFlight++;
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
      if (batch.length < CROWD) this.#leave(owner, line);
      else setTimeout(() => this.#leave(owner, line), REST_MS);
    }
  }
}
