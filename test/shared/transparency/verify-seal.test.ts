import { describe, expect, test } from 'vitest';
import { METERED } from '../../../shared/operations.ts';
import type { Entry } from '../../../shared/transparency/entry.ts';
import type { Finding, Seal } from '../../../shared/transparency/seal.ts';
import { checkRows, checkUnsealed } from '../../../shared/transparency/verify-rows.ts';
import { checkEntries, checkPlace } from '../../../shared/transparency/verify-seal.ts';
import { OperationCounts } from '../../../shared/transparency/verify-usage.ts';
import { anEvent } from './a-log.ts';

const FIRST: Seal = {
  index: 0,
  from: '2026-11-20T12:00:00.000000Z',
  until: '2026-11-20T12:10:00.000000Z',
  first_entry: 0,
  entries: 3,
  size: 3,
  root: '',
  checkpoint: '',
};
const SECOND: Seal = {
  ...FIRST,
  index: 1,
  from: '2026-11-20T12:10:00.000000Z',
  until: '2026-11-20T12:20:00.000000Z',
  first_entry: 3,
  entries: 7,
  size: 10,
};

/** Returns the findings, without the number and period of the seal at the start of each message. */
const words = (findings: readonly Finding[]) =>
  findings.map(({ code, message }) => `${code}: ${message.replace(/^seal \d+ \([^)]*\): /, '')}`);

test('a seal is accepted if it continues the previous seal or is the first seal', () => {
  expect(checkPlace(FIRST, undefined)).toEqual([]);
  expect(checkPlace(SECOND, FIRST)).toEqual([]);
});

test.each<[Partial<Seal>, string]>([
  [{ index: 2 }, 'seal_missing: seal 1 is missing before it'],
  [{ index: 3 }, 'seal_missing: seals 1 to 2 are missing before it'],
  [{ index: 0 }, 'seal_repeated: found in place of seal 1'],
  [
    { from: '2026-11-20T12:09:59.999999Z' },
    'seal_broken: does not start at 2026-11-20T12:10:00.000000Z, where the previous seal ends',
  ],
  [{ until: SECOND.from }, 'seal_broken: its period is empty or malformed'],
  [{ until: '2026-11-20T12:20:00Z' }, 'seal_broken: its period is empty or malformed'],
  [{ until: 'until 2026-11-20T12:20:00.000000Z' }, 'seal_broken: its period is empty or malformed'],
  [{ until: '2026-11-20T12:20:00.000000Z at the latest' }, 'seal_broken: its period is empty or malformed'],
  [{ first_entry: 4, size: 11 }, 'seal_broken: starts at entry 4, not at entry 3'],
  [{ first_entry: 0, size: 7 }, 'seal_broken: starts at entry 0, not at entry 3'],
  [{ entries: 8 }, 'seal_broken: inconsistent numbers: 8 entries from entry 3, but a log size of 10'],
  [{ entries: 0, size: 3 }, 'seal_broken: inconsistent numbers: 0 entries from entry 3, but a log size of 3'],
  [{ entries: 0.5, size: 3.5 }, 'seal_broken: inconsistent numbers: 0.5 entries from entry 3, but a log size of 3.5'],
])('a seal that does not continue the previous seal is reported: %j', (change, message) => {
  expect(words(checkPlace({ ...SECOND, ...change }, FIRST))).toEqual([message]);
});

test('a first seal is reported if its period has no valid start or if entries precede the seal', () => {
  expect(words(checkPlace({ ...FIRST, from: '' }, undefined))).toEqual([
    'seal_broken: its period is empty or malformed',
  ]);
  expect(words(checkPlace({ ...FIRST, first_entry: 1, size: 4 }, undefined))).toEqual([
    'seal_broken: starts at entry 1, not at entry 0',
  ]);
});

const seven: (Entry | undefined)[] = Array.from({ length: 7 }, (_, place) => anEvent(1, place));
const withTs = (ts: string | null, place = 0) => seven.with(place, anEvent(1, place, { ts }));
const check = (entries: readonly (Entry | undefined)[]) => words(checkEntries(SECOND, entries));
const misplaced = (which: string) => `entry_misplaced: ${which}: outside the seal's period, or out of order`;

test('entries are correct if they are in order and within the seal’s period, which includes its start but not its end', () => {
  expect(check(seven)).toEqual([]);
  expect(check(withTs(SECOND.from))).toEqual([]);
  expect(check(withTs('2026-11-20T12:19:59.999999Z', 6))).toEqual([]);
});

test('entries with the same time are accepted if they are in the order of their ids', () => {
  const together = seven.map((_, place) => anEvent(1, place, { ts: SECOND.from }));
  expect(check(together)).toEqual([]);
  expect(check(together.toReversed())).toEqual([misplaced('entries 4, 5, 6, 7, 8 and 1 more')]);
});

test.each(['2026-11-20T12:09:59.999999Z', '2026-11-20T12:15:00Z', 'at 2026-11-20T12:15:00.000000Z', '', null])(
  'an entry with the time %j, which is malformed or outside the seal’s period, is reported as misplaced',
  (ts) => {
    expect(check(withTs(ts, 6))).toEqual([misplaced('entry 9')]);
  },
);

test('an entry at the very end of the seal’s period, or beyond the seal’s number of entries, is reported as misplaced', () => {
  expect(check(withTs(SECOND.until, 6))).toEqual([misplaced('entry 9')]);
  expect(check([...seven, anEvent(1, 7)])).toEqual([misplaced('entry 10')]);
});

test('missing entries are reported by their numbers, with at most five numbers', () => {
  expect(check(seven.with(2, undefined).with(4, undefined))).toEqual(['entry_missing: entries 5, 7: deleted']);
  expect(check(seven.slice(0, 2))).toEqual(['entry_missing: entries 5, 6, 7, 8, 9: deleted']);
  expect(check([])).toEqual(['entry_missing: entries 3, 4, 5, 6, 7 and 2 more: deleted']);
});

test('an impossible number of entries is reported like any other', () => {
  const claimed = { ...SECOND, entries: Number.MAX_SAFE_INTEGER };
  const more = `${Number.MAX_SAFE_INTEGER - 7 - 5} more`;
  expect(words(checkEntries(claimed, seven))).toEqual([
    `entry_missing: entries 10, 11, 12, 13, 14 and ${more}: deleted`,
  ]);
});

test('entries around a missing entry are still checked for their order', () => {
  const [first = anEvent(1, 0), , third = anEvent(1, 2), ...rest] = seven;
  expect(check([third, undefined, first, ...rest])).toEqual(['entry_missing: entry 4: deleted', misplaced('entry 5')]);
});

describe('the audit log compared with a seal', () => {
  const [one, two] = [anEvent(1, 0), anEvent(1, 1)];
  const check = (entries: Parameters<typeof checkRows>[1], rows: readonly Entry[]) =>
    words(checkRows(SECOND, entries, rows));

  test('the audit log is correct if it has the same events as the seal, in any order', () => {
    expect(check([one, two], [two, one])).toEqual([]);
    expect(check([], [])).toEqual([]);
  });

  test('an added, missing or altered event in the audit log is reported', () => {
    const altered = { ...two, result: 'error' };
    expect(check([one], [two, one])).toEqual([
      `row_added: event ${two.id}: in the audit log but not sealed (added, backdated or stored too late)`,
    ]);
    expect(check([one, two], [one])).toEqual([`row_missing: event ${two.id}: sealed but missing from the audit log`]);
    expect(check([one, two], [altered, one])).toEqual([
      `row_altered: event ${two.id}: not the same as the sealed version`,
    ]);
  });

  test('an entry that is missing from the sealed log is not reported as missing from the audit log', () => {
    expect(check([one, undefined], [one])).toEqual([]);
  });
});

const old = anEvent(0, 1);
const oldMs = Date.parse(String(old.ts));
const hourOn = (change: string) => anEvent(0, 2, { ts: `2026-11-20T13:01:00.${change}Z` });
const finding = `unsealed: event ${old.id}: more than an hour old but not sealed (sealing failed or was stopped)`;

test('an unsealed event is reported if it is more than an hour old by the machine’s clock', () => {
  expect(checkUnsealed([old], oldMs + 3_600_000)).toEqual([]);
  expect(words(checkUnsealed([old], oldMs + 3_600_001))).toEqual([finding]);
});

test('even if the verifier’s clock is behind, an unsealed event more than an hour older than the newest event is reported', () => {
  expect(checkUnsealed([hourOn('000001'), old], 0)).toEqual([]);
  expect(words(checkUnsealed([hourOn('001001'), old], 0))).toEqual([finding]);
});

test('a log without unsealed events is correct', () => {
  expect(checkUnsealed([], Date.now())).toEqual([]);
});

const KEY = String(anEvent(0, 0).key_id);

const compare = (ops: number, ...changes: Parameters<typeof anEvent>[2][]) => {
  const counts = new OperationCounts(METERED);
  for (const [position, change] of changes.entries()) counts.add(anEvent(0, position, change));
  return counts.compare('2026-11', [{ key_id: KEY, ops }]).map(({ code, message }) => `${code}: ${message}`);
};

test('a log is correct if it has as many successful operations of a key as the service counted', () => {
  expect(compare(0)).toEqual([]);
  const metered = METERED.map((operation) => ({ operation }));
  expect(compare(5, ...metered)).toEqual([]);
});

test('the comparison with the count ignores failures, unmetered operations and operations of other months', () => {
  expect(compare(0, { result: 'error', error_code: 'invalid_ciphertext' }, { operation: 'rotate_key' })).toEqual([]);
  expect(compare(0, { ts: '2026-10-31T23:59:59.999999Z' })).toEqual([]);
});

test('operations in the log are reported if no operation of their key was counted', () => {
  const words = 'key another in 2026-11: 0 operations were counted, but the log has 1';
  expect(compare(0, { key_id: 'another' })).toEqual([`rows_more: ${words}`]);
});

test('a log is correct even if the service counted an operation from the first 20 seconds of a month in the month before', () => {
  const [last, first] = ['2026-11-30T23:59:59.999999Z', '2026-12-01T00:00:19.999999Z'];
  expect(compare(2, { ts: last }, { ts: first })).toEqual([]);
  expect(compare(2, { ts: last }, { ts: '2026-12-01T00:00:20.000000Z' })).toHaveLength(1);
  expect(compare(1, { ts: '2026-11-01T00:00:00.000000Z' }, {})).toEqual([]);
});

test('a log with fewer or more operations of a key than the service counted is reported', () => {
  const words = (logged: number) => `key ${KEY} in 2026-11: 2 operations were counted, but the log has ${logged}`;
  expect(compare(2, {})).toEqual([`rows_fewer: ${words(1)}`]);
  expect(compare(2, {}, {}, {})).toEqual([`rows_more: ${words(3)}`]);
});
