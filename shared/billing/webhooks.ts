import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import { FairQueue, type Limits } from '../base/fair-queue.ts';
import { DEADLINES_MS } from '../deadlines.ts';

/** Few, because anyone may send them. The payment provider repeats refused ones. */
const IN_FLIGHT = 128;

/** Bodies of up to 1 MiB are read before authentication, so slow senders are limited per network. */
const BODIES: Limits = { running: 32, runningPerOwner: 8, waitingPerOwner: 32, waitMs: DEADLINES_MS.body };

export class Webhooks {
  readonly secret: string | undefined;
  readonly inFlight = new ConcurrencyLimit(IN_FLIGHT);
  /** Per network of the sender. */
  readonly bodies = new FairQueue(BODIES);

  constructor(secret: string | undefined) {
    this.secret = secret;
  }
}
