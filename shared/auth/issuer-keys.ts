import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, startStopwatch } from '../base/clock.ts';
import { FairQueue, type Turns } from '../base/fair-queue.ts';
import { prefetch } from '../base/prefetch.ts';
import { ApiError } from '../errors.ts';
import type { Algorithm } from './id-token.ts';
import type { PublishedKey } from './published-key.ts';

/** Keys that were read longer ago are not used. */
const MAX_AGE_MS = 600_000;
/** After this time, the next request starts a read, but does not wait for it. */
const RENEWED_AFTER_MS = 300_000;
/** The shortest time between two reads for unknown keys. */
const UNKNOWN_KEY_MS = 30_000;
const PAUSE_AFTER_FAILURE_MS = 1_000;

export const ISSUER_KEY_WAITS: Turns = {
  what: 'ID tokens that wait for the keys of their issuer',
  owner: 'issuer',
  running: Number.POSITIVE_INFINITY,
  runningPerOwner: 100,
  bound: {
    waitingPerOwner: 0,
    waitMs: 0,
    refuse: () => unreadable('too many requests wait for the keys of the issuer'),
  },
};

interface Read {
  readonly keys: readonly PublishedKey[];
  readonly ageMs: () => number;
}

/**
 * The public keys of one issuer, kept in memory. One read at a time is shared by all requests that wait for it, so a
 * slow issuer delays only requests with its own tokens, and cannot hold many of them.
 */
export class IssuerKeys {
  readonly #fetch: () => Promise<PublishedKey[]>;
  readonly #clock: Clock;
  #last: Read | undefined;
  #reading: Promise<readonly PublishedKey[]> | undefined;
  readonly #waits = new FairQueue(ISSUER_KEY_WAITS);
  /** How long ago the last attempt began, and how long ago it failed, if it did. */
  #sinceAttempt = () => Number.POSITIVE_INFINITY;
  #sinceFailure: (() => number) | undefined;

  constructor(fetchKeys: () => Promise<PublishedKey[]>, clock: Clock) {
    this.#fetch = fetchKeys;
    this.#clock = clock;
  }

  /** Returns a key, or `undefined` if the issuer does not publish it. Throws `unavailable` if the keys can't be read. */
  async find(kid: string, alg: Algorithm): Promise<PublishedKey | undefined> {
    const known = keyIn(this.#current(), kid, alg);
    if (known !== undefined) return known;
    if (this.#current() !== undefined && this.#reading === undefined && this.#sinceAttempt() < UNKNOWN_KEY_MS) {
      if (this.#sinceFailure !== undefined) throw unreadable();
      return undefined;
    }
    return keyIn(await this.#waits.run('', () => this.#read()), kid, alg);
  }

  /** Returns the keys if they were read recently. Starts a read in time, so that requests rarely wait for one. */
  #current(): readonly PublishedKey[] | undefined {
    const age = this.#last?.ageMs() ?? Number.POSITIVE_INFINITY;
    if (age >= MAX_AGE_MS) return undefined;
    if (age >= RENEWED_AFTER_MS) prefetch(this.#read());
    return this.#last?.keys;
  }

  #read(): Promise<readonly PublishedKey[]> {
    this.#reading ??= this.#readAfterPause().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAfterPause(): Promise<readonly PublishedKey[]> {
    const pause = PAUSE_AFTER_FAILURE_MS - (this.#sinceFailure?.() ?? Number.POSITIVE_INFINITY);
    if (pause > 0) await sleep(pause);
    const sinceAttempt = this.#startAge();
    this.#sinceAttempt = sinceAttempt;
    try {
      const keys = await this.#fetch();
      this.#last = { keys, ageMs: sinceAttempt };
      this.#sinceFailure = undefined;
      return keys;
    } catch (error) {
      this.#sinceFailure = startStopwatch();
      throw unreadable(undefined, error);
    }
  }

  /** Measures time by the service's clock, the wall clock or the monotonic clock, whichever says more. */
  #startAge(): () => number {
    const begun = this.#clock.now();
    const stopwatch = startStopwatch();
    return () => {
      const passed = (this.#clock.now() - begun) / 1000;
      return passed < 0 ? Number.POSITIVE_INFINITY : Math.max(passed, stopwatch());
    };
  }
}

function keyIn(keys: readonly PublishedKey[] | undefined, kid: string, alg: Algorithm): PublishedKey | undefined {
  return keys?.find((key) => key.kid === kid && key.algorithms.includes(alg));
}

function unreadable(message = 'the keys of the workload issuer could not be read', cause?: unknown): ApiError {
  return new ApiError('unavailable', message, { cause });
}
