import { expect, test } from 'vitest';
import { METERED } from '../../../shared/operations.ts';
import { OperationCounts } from '../../../shared/transparency/verify-usage.ts';
import { anEvent } from './a-log.ts';

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
