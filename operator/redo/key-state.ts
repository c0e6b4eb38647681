import type { Instant } from '../../shared/base/clock.ts';
import type { Key } from '../../shared/keys/key.ts';
import { asPending, asRestored } from '../../shared/lifecycle/delete-key.ts';
import type { RedoLine } from '../../shared/tenancy/redo-log.ts';
import type { LineOf } from './change.ts';

export type StateLine = LineOf<'key deletion requested' | 'key restored' | 'key destroyed'>;

export function isStateLine(line: RedoLine): line is StateLine {
  return ['key deletion requested', 'key restored', 'key destroyed'].includes(line.message);
}

/**
 * Returns the key with the changes of its redo lines, which are in commit order. Applies each line, because each
 * deletion and restoration affects the bill. A destroyed key becomes pending deletion. Skips lines whose changes the
 * stored key already has.
 */
export function applyStateLines(key: Key, lines: readonly StateLine[]): Key {
  if (key.destroying) return key;
  const known = lines.findLastIndex((line) =>
    key.deletions.some((deletion) => deletion.requested_at === requestIn(line)),
  );
  return lines.slice(known + 1).reduce(after, key);
}

function requestIn(line: StateLine): Instant | undefined {
  switch (line.message) {
    case 'key deletion requested':
      return line.delete_requested_at;
    case 'key destroyed':
      return line.commit_time;
    case 'key restored':
      return undefined;
  }
}

function after(key: Key, line: StateLine): Key {
  switch (line.message) {
    case 'key deletion requested': {
      const { delete_requested_at: at, destroy_after } = line;
      // The service accepts a deletion request only for an active key. So if the key is already pending deletion, it was
      // restored in between, and the log lacks the line about that.
      return asPending(asRestored(key, at), at, destroy_after);
    }
    case 'key restored':
      return asRestored(key, line.commit_time);
    case 'key destroyed':
      return key.state === 'pending_deletion' ? key : asPending(key, line.commit_time, line.commit_time);
  }
}
