import { describe, expect, test } from 'vitest';
import { readRedoLines } from '../../operator/redo/read-lines.ts';
import { makeId } from '../../shared/base/ids.ts';
import { EVENTS } from '../../shared/events.ts';
import { REDO_EVENTS } from '../../shared/tenancy/redo-log.ts';

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

describe('redo lines', () => {
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
});

describe('malformed logs', () => {
  test.each([
    ['is empty', '', 'neither a JSON array nor lines of JSON objects'],
    ['has text that is not JSON', 'API key revoked\n', 'neither a JSON array nor lines of JSON objects'],
    ['is truncated', asCloudLogging(lines).slice(0, -1), 'the array is not JSON'],
    ['has a truncated line', `${asOutput(lines)}{"message":`, 'line 3 is not JSON'],
    [
      'has a line without its commit time',
      asOutput([{ ...revoked, commit_time: undefined }]),
      'entry 1, API key revoked: malformed commit_time',
    ],
    [
      'has a line with a malformed commit time',
      asOutput([{ ...revoked, commit_time: 'now' }]),
      'entry 1, API key revoked: malformed commit_time',
    ],
    [
      'has a line about a rotation without the enabled versions',
      asCloudLogging([answered, rotated]),
      'entry 2, key rotated: malformed enabled_versions',
    ],
    [
      'has a line with a malformed id',
      asOutput([{ ...revoked, target_id: '1' }]),
      'entry 1, API key revoked: malformed target_id',
    ],
  ])('a log that %s is refused', (_, text, message) => expect(() => readRedoLines(text)).toThrow(message));
});

test('the events of the redo log have the severity INFO, so that the alert about weakened protection ignores them', () => {
  const events: Record<string, string> = EVENTS;
  expect(REDO_EVENTS.map((name) => events[name])).toEqual(REDO_EVENTS.map(() => 'INFO'));
});
