import { FairQueue, type Turns } from '../base/fair-queue.ts';
import { ApiError } from '../errors.ts';

/** Limits the requests in flight of each sender, so that one sender cannot use a process's whole capacity. */
function requestsOf(owner: string, atMost: number): Turns {
  return {
    what: 'requests in flight',
    owner,
    running: Number.POSITIVE_INFINITY,
    runningPerOwner: atMost,
    bound: {
      waitingPerOwner: 0,
      waitMs: 0,
      refuse: () => new ApiError('unavailable', `too many requests in progress for this ${owner.toLowerCase()}`),
    },
  };
}

export const REQUESTS_OF_API_KEY = requestsOf('API key', 256);
export const REQUESTS_OF_USER = requestsOf('user', 256);
export const REQUESTS_OF_TENANT = requestsOf('tenant', 384);

/** The requests in flight of this process. */
export class InFlight {
  readonly apiKeys = new FairQueue(REQUESTS_OF_API_KEY);
  readonly users = new FairQueue(REQUESTS_OF_USER);
  readonly tenants = new FairQueue(REQUESTS_OF_TENANT);
}
