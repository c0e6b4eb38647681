import fc from 'fast-check';
import { expect, test } from 'vitest';
import { viewTime } from '../../src/cli/follow/place.ts';
import { PAGE, type ReadPeriod, readWindow } from '../../src/cli/follow/read-window.ts';
import type { AuditEvent } from '../../src/types.ts';

const START_US = 1_792_065_600_000_000;

function anEvent(us: number, id: string): AuditEvent {
  const ids = { request_id: null, key_id: null, api_key_id: null, user_id: null, target_id: null };
  return { id, ts: viewTime(us), operation: 'encrypt', result: 'success', error_code: null, ...ids, changes: null };
}

/** Returns a log with events at these microseconds, and how the service reads it: newest first, with counted reads. */
function logOf(times: readonly number[]) {
  const log = times
    .toSorted((one, other) => one - other)
    .map((at, n) => ({ us: START_US + at, event: anEvent(START_US + at, String(n).padStart(6, '0')) }));
  let largest = 0;
  const read: ReadPeriod = async (sinceUs, untilUs, most) => {
    const found = log.filter(({ us }) => sinceUs <= us && us < untilUs).reverse();
    const events = found.slice(0, most).map(({ event }) => event);
    largest = Math.max(largest, events.length);
    return events;
  };
  return { ids: log.map(({ event }) => event.id), read, largest: () => largest };
}

const all = async (read: ReadPeriod, until: number) =>
  Array.fromAsync(readWindow(read, START_US, START_US + until), ({ id }) => id);

test('a period is read oldest first and completely, wherever its events are, a page in memory', async () => {
  const bursts = fc.array(fc.record({ at: fc.nat(3_600_000_000), events: fc.nat(2_500), gap: fc.nat(1_000) }), {
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(bursts, async (made) => {
      const times = made.flatMap(({ at, events, gap }) => Array.from({ length: events }, (_, n) => at + n * (gap + 1)));
      const { ids, read, largest } = logOf(times);
      expect(await all(read, 4_000_000_000)).toEqual(ids);
      expect(largest()).toBeLessThanOrEqual(PAGE);
    }),
    { numRuns: 30 },
  );
});

test('more than a page of events in one microsecond are read too', async () => {
  const { ids, read } = logOf([...Array(PAGE + 5).fill(7), 8]);
  expect(await all(read, 20)).toEqual(ids);
});
