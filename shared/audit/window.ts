import type { Instant } from '../base/clock.ts';
import type { ApiKeyId, Id, KeyId, UserId } from '../base/ids.ts';
import type { Recordable } from '../operations.ts';
import type { Position } from '../store/query.ts';

/** What an event must have; all that is given. */
export interface Filters {
  readonly operation?: Recordable | undefined;
  readonly result?: 'success' | 'error' | undefined;
  readonly key_id?: KeyId | undefined;
  readonly api_key_id?: ApiKeyId | undefined;
  readonly user_id?: UserId | undefined;
  readonly target_id?: Id<string> | undefined;
}

/** Which events are asked for: a half-open window of time, and which of those in it. */
export interface Window {
  /** Inclusive. */
  readonly since: Instant | undefined;
  /** Exclusive. */
  readonly until: Instant | undefined;
  readonly filters: Filters;
}

/** A part of a window's events: at most `limit`, those that come after a position, where there is one. */
export interface PageOfWindow extends Window {
  readonly limit: number;
  readonly after: Position | undefined;
}
