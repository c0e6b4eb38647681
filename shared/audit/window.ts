import type { Instant } from '../base/clock.ts';
import type { ApiKeyId, Id, KeyId, UserId } from '../base/ids.ts';
import type { Recordable } from '../operations.ts';
import type { Position } from '../store/query.ts';

export interface Filters {
  readonly operation?: Recordable | undefined;
  readonly result?: 'success' | 'error' | undefined;
  readonly key_id?: KeyId | undefined;
  readonly api_key_id?: ApiKeyId | undefined;
  readonly user_id?: UserId | undefined;
  readonly target_id?: Id<string> | undefined;
}

/** A period that includes `since` and excludes `until`, and filters for the events in the period. */
export interface Window {
  readonly since: Instant | undefined;
  readonly until: Instant | undefined;
  readonly filters: Filters;
}

/** A request for at most `limit` events of a window. They start after `after`, if given. */
export interface PageOfWindow extends Window {
  readonly limit: number;
  readonly after: Position | undefined;
}
