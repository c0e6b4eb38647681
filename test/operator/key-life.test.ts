import { describe, expect, test } from 'vitest';
import { applyStateLines, type StateLine } from '../../operator/redo/key-state.ts';
import { DAY_US, type Instant, makeInstant } from '../../shared/base/clock.ts';
import { parseInstant } from '../../shared/base/rfc3339.ts';
import type { Key } from '../../shared/keys/key.ts';
import { asPending } from '../../shared/lifecycle/delete-key.ts';
import { aKey } from '../shared/keys/a-key.ts';

function at(day: string): Instant {
  const instant = parseInstant(day.includes('T') ? day : `${day}T12:00:00Z`);
  if (instant === undefined) throw new Error(`not a time: ${day}`);
  return instant;
}

const weekAfter = (requested: Instant) => makeInstant(requested + 7 * DAY_US);
const active = aKey({ created_at: at('2026-09-15') });
const pendingSince = (day: string) => asPending(active, at(day), weekAfter(at(day)));

const target = { tenant_id: active.tenant_id, target_id: active.id };
/** Returns the log line of a deletion request. The line’s commit time is shortly after the request. */
function requested(day: string): StateLine {
  const time = at(day);
  const dates = { delete_requested_at: time, destroy_after: weekAfter(time) };
  return { message: 'key deletion requested', ...target, ...dates, commit_time: makeInstant(time + 5000) };
}
const restored = (day: string): StateLine => ({ message: 'key restored', ...target, commit_time: at(day) });
const destroyed = (day: string): StateLine => ({ message: 'key destroyed', ...target, commit_time: at(day) });

/** Returns a deletion as the key’s document stores it. */
const deletion = (request: string, restoration: string | null = null) => ({
  requested_at: at(request),
  restored_at: restoration === null ? null : at(restoration),
});

describe('a key after the redo log was replayed', () => {
  test.each<[string, Key, StateLine[], ReturnType<typeof deletion>[]]>([
    [
      'a key destroyed while pending deletion, whose deletion begins with the request',
      active,
      [requested('2026-11-16'), destroyed('2026-11-19')],
      [deletion('2026-11-16')],
    ],
    [
      'a key destroyed while active, whose deletion begins with the destruction',
      active,
      [destroyed('2026-11-19')],
      [deletion('2026-11-19')],
    ],
    [
      'a key pending deletion in the backup, restored in that month and deleted again in the next month',
      pendingSince('2026-10-30'),
      [restored('2026-10-31'), requested('2026-11-02')],
      [deletion('2026-11-02')],
    ],
    [
      'a key restored in a later month and deleted again, whose two deletions each count once',
      active,
      [requested('2026-10-30'), restored('2026-11-01'), requested('2026-11-02')],
      [deletion('2026-10-30', '2026-11-01'), deletion('2026-11-02')],
    ],
    [
      'a key active in the backup, then deleted, and restored in a later month',
      active,
      [requested('2026-10-30'), restored('2026-11-01')],
      [deletion('2026-10-30', '2026-11-01')],
    ],
    [
      'a key deleted, restored, deleted again and destroyed on one day',
      active,
      [
        requested('2026-11-16T08:00:00Z'),
        restored('2026-11-16T09:00:00Z'),
        requested('2026-11-16T10:00:00Z'),
        destroyed('2026-11-16T11:00:00Z'),
      ],
      [deletion('2026-11-16T10:00:00Z')],
    ],
    [
      'a key pending deletion in the backup, then restored, deleted again and destroyed',
      pendingSince('2026-11-10'),
      [restored('2026-11-11'), requested('2026-11-12'), destroyed('2026-11-13')],
      [deletion('2026-11-12')],
    ],
    [
      'a key destroyed, pending deletion again after an earlier restore of the database, and then restored',
      active,
      [requested('2026-11-16'), destroyed('2026-11-17'), restored('2026-11-18')],
      [],
    ],
    [
      'a key deleted again, although the log has no line about its restore',
      pendingSince('2026-10-30'),
      [requested('2026-11-02')],
      [deletion('2026-10-30', '2026-11-02'), deletion('2026-11-02')],
    ],
  ])('a replay of the redo log records the same deletions as the service did: %s', (_, key, lines, deletions) => {
    const latest = deletions.findLast(({ restored_at }) => restored_at === null);
    const expected = {
      state: latest === undefined ? 'active' : 'pending_deletion',
      delete_requested_at: latest?.requested_at ?? null,
      deletions,
    };
    const after = applyStateLines(key, lines);
    expect(after).toMatchObject(expected);
    // The result must be the same if the key already has some of the changes, and if lines are repeated.
    for (let applied = 0; applied <= lines.length; applied++)
      expect(applyStateLines(applyStateLines(key, lines.slice(0, applied)), lines)).toEqual(after);
    expect(
      applyStateLines(
        key,
        lines.flatMap((line) => [line, line]),
      ),
    ).toEqual(after);
  });

  test('if a key in the backup is pending deletion, a line about its destruction does not change the key', () => {
    const pending = pendingSince('2026-11-16');
    expect(applyStateLines(pending, [destroyed('2026-11-19')])).toEqual(pending);
  });

  test('the redo log does not change a key whose destruction has begun', () => {
    const begun: Key = { ...pendingSince('2026-11-19'), destroying: true };
    expect(applyStateLines(begun, [requested('2026-11-16'), restored('2026-11-17')])).toBe(begun);
  });
});
