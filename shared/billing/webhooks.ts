import { FairQueue, type Turns } from '../base/fair-queue.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';

const refuse = () => new ApiError('unavailable', 'too many webhooks in progress');

/** Few, because anyone can send webhooks, and Stripe repeats refused ones. */
export const WEBHOOKS: Turns = {
  what: 'webhooks',
  owner: 'process',
  running: 128,
  runningPerOwner: 128,
  bound: { waitingPerOwner: 0, waitMs: 0, refuse },
};

/** Bodies of up to 1 MiB are read before authentication, so slow senders are limited per network. */
export const WEBHOOK_BODIES: Turns = {
  what: 'bodies of webhooks being read; a network is an IPv4 address or an IPv6 /64 network',
  owner: 'network',
  running: 32,
  runningPerOwner: 8,
  bound: { waitingPerOwner: 32, waitMs: DEADLINES_MS.body, refuse },
};

/** The signing secret and the limits of the route for Stripe's webhooks. */
export class Webhooks {
  readonly secret: string | undefined;
  readonly inFlight = new FairQueue(WEBHOOKS);
  readonly bodies = new FairQueue(WEBHOOK_BODIES);

  constructor(secret: string | undefined) {
    this.secret = secret;
  }
}
