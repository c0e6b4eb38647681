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

/** A half-open period, and filters for its events. */
export interface Window {
  readonly since: Instant | undefined;
  readonly until: Instant | undefined;
  readonly filters: Filters;
}

/** At most `limit` events, after the position if given. */
export interface PageOfWindow extends Window {
  readonly limit: number;
  readonly after: Position | undefined;
}
