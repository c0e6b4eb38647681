import { Rate, type Time, type Tokens } from '../base/rate.ts';
import { ApiError } from '../errors.ts';

export const API_REQUESTS: Tokens = {
  what: 'requests of an API key or user',
  owner: 'API key or user',
  limit: '100 a second',
  bound: { waitMs: 0, refuse: rateLimited },
};

/** Allows bursts of 100 requests, and 100 requests a second. */
const REFILL = { capacityMs: 1000, tokenMs: 10, perOwner: true };
const OWN = ['own'] as const;

export class RateLimit {
  readonly #rate: Rate<'own'>;

  constructor(time?: Time) {
    this.#rate = new Rate(API_REQUESTS, { own: REFILL }, time);
  }

  /**
   * Takes one token from the bucket of an API key or a person. Returns `false` if the bucket is empty. A workload has
   * another bucket than the token of its API key, because a flood of wrong secrets must not use up its requests.
   */
  take(id: string, isWorkload = false): boolean {
    return this.#rate.take(isWorkload ? `workload ${id}` : id, OWN);
  }
}

/** The message says `api key` to people too, because the API documentation fixes this text. */
export function rateLimited(): ApiError {
  return new ApiError('rate_limited', 'too many requests for this api key');
}
