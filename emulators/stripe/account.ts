import type { State } from './state.ts';

/** The API request that causes a change, as its events name it. */
export type Origin = { readonly requestId: string | null; readonly idempotencyKey: string | null };

/** One Stripe account, as the code that changes it sees it. */
export type Account = {
  readonly state: State;
  /** The time in whole seconds since the epoch. */
  readonly now: () => number;
  /** Where the hosted pages are, without a trailing slash. */
  readonly baseUrl: string;
  readonly origin: Origin;
};
