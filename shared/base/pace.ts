import { setTimeout as sleep } from 'node:timers/promises';
import { TokenBuckets } from './token-buckets.ts';

const MINUTE_MS = 60_000;
const BURST_MS = 10_000;
const ALL = 'all';

/** Spaces calls so that they stay within a limit per minute. */
export class Pace {
  readonly #turns: TokenBuckets;

  constructor(perMinute: number) {
    this.#turns = new TokenBuckets({ capacityMs: BURST_MS, tokenMs: MINUTE_MS / perMinute });
  }

  /** Resolves when the next call may be sent. A burst may contain as many calls as ten seconds allow. */
  async turn(): Promise<void> {
    while (!this.#turns.take(ALL)) await sleep(Math.ceil(this.#turns.waitMs(ALL)));
  }
}
