import { describe, expect, test } from 'vitest';
import { type LifeLine, relive } from '../../operator/redo/key-life.ts';
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
/** A commit is a moment after the time that the service took for the request. */
function requested(day: string): LifeLine {
  const time = at(day);
  const dates = { delete_requested_at: time, destroy_after: weekAfter(time) };
  return { message: 'key deletion requested', ...target, ...dates, commit_time: makeInstant(time + 5000) };
}
const restored = (day: string): LifeLine => ({ message: 'key restored', ...target, commit_time: at(day) });
const destroyed = (day: string): LifeLine => ({ message: 'key destroyed', ...target, commit_time: at(day) });

/** A deletion in the key's document. */
const deletion = (request: string, restoration: string | null = null) => ({
  requested_at: at(request),
  restored_at: restoration === null ? null : at(restoration),
});

describe('the life of a key is made again as the service left it', () => {
  test.each<[string, Key, LifeLine[], ReturnType<typeof deletion>[]]>([
    [
      'destroyed while pending: the deletion begins with its request',
      active,
      [requested('2026-11-16'), destroyed('2026-11-19')],
      [deletion('2026-11-16')],
    ],
    [
      'destroyed while active: the deletion begins with the destruction',
      active,
      [destroyed('2026-11-19')],
      [deletion('2026-11-19')],
    ],
    [
      'pending in the backup, restored in that month, deleted in the next: the first deletion leaves no trace',
      pendingSince('2026-10-30'),
      [restored('2026-10-31'), requested('2026-11-02')],
      [deletion('2026-11-02')],
    ],
    [
      'restored in a later month: both deletions count, each once',
      active,
      [requested('2026-10-30'), restored('2026-11-01'), requested('2026-11-02')],
      [deletion('2026-10-30', '2026-11-01'), deletion('2026-11-02')],
    ],
    [
      'active in the backup, deleted, and restored in a later month: the first month keeps the deletion',
      active,
      [requested('2026-10-30'), restored('2026-11-01')],
      [deletion('2026-10-30', '2026-11-01')],
    ],
    [
      'deleted, restored, deleted and destroyed in one day: the second request counts',
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
      'pending in the backup, restored, deleted and destroyed: the second request counts',
      pendingSince('2026-11-10'),
      [restored('2026-11-11'), requested('2026-11-12'), destroyed('2026-11-13')],
      [deletion('2026-11-12')],
    ],
    [
      'destroyed, made pending after an earlier restore, and restored',
      active,
      [requested('2026-11-16'), destroyed('2026-11-17'), restored('2026-11-18')],
      [],
    ],
    [
      'deleted again where the line of the restoration is missing',
      pendingSince('2026-10-30'),
      [requested('2026-11-02')],
      [deletion('2026-10-30', '2026-11-02'), deletion('2026-11-02')],
    ],
  ])('%s', (_, key, lines, deletions) => {
    const latest = deletions.findLast(({ restored_at }) => restored_at === null);
    const expected = {
      state: latest === undefined ? 'active' : 'pending_deletion',
      delete_requested_at: latest?.requested_at ?? null,
      deletions,
    };
    const after = relive(key, lines);
    expect(after).toMatchObject(expected);
    // Also where the key has some of the lines already, or all, and where a line comes twice.
    for (let had = 0; had <= lines.length; had++)
      expect(relive(relive(key, lines.slice(0, had)), lines)).toEqual(after);
    expect(
      relive(
        key,
        lines.flatMap((line) => [line, line]),
      ),
    ).toEqual(after);
  });

  test('destroyed while pending: the time to restore it is not shorter', () => {
    const pending = pendingSince('2026-11-16');
    expect(relive(pending, [destroyed('2026-11-19')])).toEqual(pending);
  });

  test('but not where its destruction has begun', () => {
    const begun: Key = { ...pendingSince('2026-11-19'), destroying: true };
    expect(relive(begun, [requested('2026-11-16'), restored('2026-11-17')])).toBe(begun);
  });
});
