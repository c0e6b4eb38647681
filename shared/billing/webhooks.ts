import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import { FairQueue, type Limits } from '../base/fair-queue.ts';
import { DEADLINES_MS } from '../deadlines.ts';

/** Few, because anyone may send them. The payment provider repeats what is refused. */
const IN_FLIGHT = 128;

/**
 * Bodies of up to 1 MiB are read before anything is proved; only the sender's address is known by then. Each network may
 * have a few at a time, so slow senders do not delay others.
 */
const BODIES: Limits = { running: 32, runningPerOwner: 8, waitingPerOwner: 32, waitMs: DEADLINES_MS.body };

/** The webhooks that this process receives. */
export class Webhooks {
  /** Verifies their signatures; `undefined` in functions that receive none. */
  readonly secret: string | undefined;
  readonly inFlight = new ConcurrencyLimit(IN_FLIGHT);
  /** Queues the reading of bodies by the sender's network. */
  readonly bodies = new FairQueue(BODIES);

  constructor(secret: string | undefined) {
    this.secret = secret;
  }
}
