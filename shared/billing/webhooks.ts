import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import { FairQueue, type Limits } from '../base/fair-queue.ts';
import { DEADLINES_MS } from '../deadlines.ts';

/** The most webhook requests in flight: few, because anyone can send them, and Stripe repeats refused ones. */
const IN_FLIGHT = 128;

/** Bodies of up to 1 MiB are read before authentication, so slow senders are limited per network. */
const BODIES: Limits = { running: 32, runningPerOwner: 8, waitingPerOwner: 32, waitMs: DEADLINES_MS.body };

/** The signing secret and the limits of the route for Stripe's webhooks. */
export class Webhooks {
  readonly secret: string | undefined;
  readonly inFlight = new ConcurrencyLimit(IN_FLIGHT);
  /** Limits the bodies being read, separately for each network of senders. */
  readonly bodies = new FairQueue(BODIES);

  constructor(secret: string | undefined) {
    this.secret = secret;
  }
}
