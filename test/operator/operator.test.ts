import { expect, test } from 'vitest';
import { FINDINGS } from '../../operator/checks/findings.ts';
import { Part, renderPart } from '../../operator/checks/part.ts';
import { applyStateLines, type StateLine } from '../../operator/redo/key-state.ts';
import { readRedoLines } from '../../operator/redo/read-lines.ts';
import { DAY_US, type Instant, makeInstant } from '../../shared/base/clock.ts';
import { makeId } from '../../shared/base/ids.ts';
import { parseInstant } from '../../shared/base/rfc3339.ts';
import { EVENTS } from '../../shared/events.ts';
import type { Key } from '../../shared/keys/key.ts';
import { asPending } from '../../shared/lifecycle/delete-key.ts';
import { REDO_EVENTS } from '../../shared/tenancy/redo-log.ts';
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

/** The key in the backup, the lines of the redo log, and the deletions that the key must have afterwards. */
const HISTORIES: Readonly<Record<string, readonly [Key, StateLine[], ReturnType<typeof deletion>[]]>> = {
  'that was deleted and then destroyed': [
    active,
    [requested('2026-11-16'), destroyed('2026-11-19')],
    [deletion('2026-11-16')],
  ],
  'that was destroyed while active': [active, [destroyed('2026-11-19')], [deletion('2026-11-19')]],
  'that was restored in the month of its deletion, and deleted in the next': [
    pendingSince('2026-10-30'),
    [restored('2026-10-31'), requested('2026-11-02')],
    [deletion('2026-11-02')],
  ],
  'that was restored in the month after its deletion, and deleted again': [
    active,
    [requested('2026-10-30'), restored('2026-11-01'), requested('2026-11-02')],
    [deletion('2026-10-30', '2026-11-01'), deletion('2026-11-02')],
  ],
  'that was restored in the month after its deletion': [
    active,
    [requested('2026-10-30'), restored('2026-11-01')],
    [deletion('2026-10-30', '2026-11-01')],
  ],
  'that was deleted, restored, deleted and destroyed on one day': [
    active,
    [
      requested('2026-11-16T08:00:00Z'),
      restored('2026-11-16T09:00:00Z'),
      requested('2026-11-16T10:00:00Z'),
      destroyed('2026-11-16T11:00:00Z'),
    ],
    [deletion('2026-11-16T10:00:00Z')],
  ],
  'that was pending deletion in the backup, then restored, deleted and destroyed': [
    pendingSince('2026-11-10'),
    [restored('2026-11-11'), requested('2026-11-12'), destroyed('2026-11-13')],
    [deletion('2026-11-12')],
  ],
  'that was destroyed, but restored after an earlier restore of the database': [
    active,
    [requested('2026-11-16'), destroyed('2026-11-17'), restored('2026-11-18')],
    [],
  ],
  'that was deleted again, although its restore has no line': [
    pendingSince('2026-10-30'),
    [requested('2026-11-02')],
    [deletion('2026-10-30', '2026-11-02'), deletion('2026-11-02')],
  ],
};
test.each(Object.entries(HISTORIES))('a replay gives the deletions of a key %s', (_, [key, lines, deletions]) => {
  const latest = deletions.findLast(({ restored_at }) => restored_at === null);
  const after = applyStateLines(key, lines);
  expect(after).toMatchObject({
    state: latest === undefined ? 'active' : 'pending_deletion',
    delete_requested_at: latest?.requested_at ?? null,
    deletions,
  });
  // The result must be the same if the key already has some of the changes, and if lines are repeated.
  for (let applied = 0; applied <= lines.length; applied++)
    expect(applyStateLines(applyStateLines(key, lines.slice(0, applied)), lines)).toEqual(after);
  const repeated = lines.flatMap((line) => [line, line]);
  expect(applyStateLines(key, repeated)).toEqual(after);
});

test('if a key in the backup is pending deletion, a line about its destruction does not change the key', () => {
  const pending = pendingSince('2026-11-16');
  expect(applyStateLines(pending, [destroyed('2026-11-19')])).toEqual(pending);
});

test('the redo log does not change a key whose destruction has begun', () => {
  const begun: Key = { ...pendingSince('2026-11-19'), destroying: true };
  expect(applyStateLines(begun, [requested('2026-11-16'), restored('2026-11-17')])).toBe(begun);
});

const ids = { tenant_id: makeId(), target_id: makeId() };
const revoked = { message: 'API key revoked', ...ids, commit_time: '2026-11-24T03:00:00.123456Z' };
const rotated = { message: 'key rotated', ...ids, commit_time: '2026-11-24T03:00:01Z', primary_version: 2 };
const lines = [revoked, { ...rotated, enabled_versions: [1, 2] }];
const read = [
  { ...revoked, commit_time: Date.UTC(2026, 10, 24, 3) * 1000 + 123_456 },
  { ...rotated, commit_time: Date.UTC(2026, 10, 24, 3, 0, 1) * 1000, enabled_versions: [1, 2] },
];
const answered = { severity: 'INFO', message: 'request answered', status: 200 };

const asCloudLogging = (payloads: readonly unknown[]) =>
  JSON.stringify(payloads.map((jsonPayload) => ({ insertId: 'x', jsonPayload, timestamp: '2026-11-24T03:00:02Z' })));
const asOutput = (payloads: readonly unknown[]) => payloads.map((one) => `${JSON.stringify(one)}\n`).join('');

test.each([
  ['entries of Cloud Logging', asCloudLogging(lines)],
  ['the service’s own output', asOutput(lines)],
  [
    'a log with entries that are not redo lines',
    `[${JSON.stringify({ textPayload: 'API key revoked' })}, 7, ${asCloudLogging([answered, ...lines]).slice(1)}`,
  ],
  ['output with lines that are not redo lines', `ready\n${asOutput([answered, ...lines])}\n`],
  ['lines with additional fields', asOutput(lines.map((line) => ({ severity: 'INFO', ...line, request_id: 'r' })))],
])('redo lines are read from %s', (_, text) => expect(readRedoLines(text)).toEqual(read));

test('a log that is an empty JSON array has no redo lines', () => expect(readRedoLines('[]')).toEqual([]));

test.each([
  ['is empty', '', 'neither a JSON array nor lines of JSON objects'],
  ['has text that is not JSON', 'API key revoked\n', 'neither a JSON array nor lines of JSON objects'],
  ['is truncated', asCloudLogging(lines).slice(0, -1), 'the array is not JSON'],
  ['has a truncated line', `${asOutput(lines)}{"message":`, 'line 3 is not JSON'],
])('a log that %s is refused', (_, text, message) => expect(() => readRedoLines(text)).toThrow(message));

test.each([
  ['without its commit time', { ...revoked, commit_time: undefined }, 'API key revoked: malformed commit_time'],
  ['with a malformed commit time', { ...revoked, commit_time: 'now' }, 'API key revoked: malformed commit_time'],
  ['with a malformed id', { ...revoked, target_id: '1' }, 'API key revoked: malformed target_id'],
  ['about a rotation without versions', rotated, 'key rotated: malformed enabled_versions'],
])('a log with a line %s is refused', (_, line, message) => {
  expect(() => readRedoLines(asOutput([line]))).toThrow(`entry 1, ${message}`);
  expect(() => readRedoLines(asCloudLogging([answered, line]))).toThrow(`entry 2, ${message}`);
});

test('the events of the redo log have the severity INFO, so that the alert about weakened protection ignores them', () => {
  const events: Record<string, string> = EVENTS;
  expect(REDO_EVENTS.map((name) => events[name])).toEqual(REDO_EVENTS.map(() => 'INFO'));
});

test('the report of check-store contains the advice for each kind of finding only once', () => {
  const part = new Part('Object counts against the objects', { tenants: 0 });
  part.count('tenants', 2);
  part.findings.push(
    { kind: 'count-differs', about: {}, text: 'keys is stored as 7, but 0 exist', remedy: 'Set keys to 0' },
    { kind: 'count-differs', about: {}, text: 'firewalls is stored as 2, but 1 exist' },
    { kind: 'name-unclaimed', about: {}, text: 'the name of key 1 is not reserved' },
  );
  expect(renderPart(part).split('\n')).toEqual([
    'Object counts against the objects',
    '  tenants   2',
    '  findings  3',
    'count-differs: keys is stored as 7, but 0 exist. Set keys to 0',
    'count-differs: firewalls is stored as 2, but 1 exist',
    'name-unclaimed: the name of key 1 is not reserved',
    `What to do about count-differs: ${FINDINGS['count-differs'].action}`,
    `What to do about name-unclaimed: ${FINDINGS['name-unclaimed'].action}`,
    '',
  ]);
});

test('the report of check-store contains no advice if nothing was found', () => {
  expect(renderPart(new Part('Keys against the KMS', { 'live keys': 0 }))).not.toContain('What to do');
});
