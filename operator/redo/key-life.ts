import type { Instant } from '../../shared/base/clock.ts';
import type { Key } from '../../shared/keys/key.ts';
import { asPending, asRestored } from '../../shared/lifecycle/delete-key.ts';
import type { RedoLine } from '../../shared/tenancy/redo-log.ts';
import type { LineOf } from './fact.ts';

export type LifeLine = LineOf<'key deletion requested' | 'key restored' | 'key destroyed'>;

export function isLifeLine(line: RedoLine): line is LifeLine {
  return ['key deletion requested', 'key restored', 'key destroyed'].includes(line.message);
}

/**
 * Returns the key after its redo lines, which are in commit order. Applies them all, because billing depends on each
 * request and restoration. A destroyed key becomes pending. Skips lines that the stored key already has.
 */
export function relive(key: Key, lines: readonly LifeLine[]): Key {
  if (key.destroying) return key;
  const known = lines.findLastIndex((line) =>
    key.deletions.some((deletion) => deletion.requested_at === requestIn(line)),
  );
  return lines.slice(known + 1).reduce(after, key);
}

function requestIn(line: LifeLine): Instant | undefined {
  switch (line.message) {
    case 'key deletion requested':
      return line.delete_requested_at;
    case 'key destroyed':
      return line.commit_time;
    case 'key restored':
      return undefined;
  }
}

function after(key: Key, line: LifeLine): Key {
  switch (line.message) {
    case 'key deletion requested': {
      const { delete_requested_at: at, destroy_after } = line;
      // The service logs a request only for an active key, so the line of an earlier restoration is missing.
      return asPending(asRestored(key, at), at, destroy_after);
    }
    case 'key restored':
      return asRestored(key, line.commit_time);
    case 'key destroyed':
      return key.state === 'pending_deletion' ? key : asPending(key, line.commit_time, line.commit_time);
  }
}
