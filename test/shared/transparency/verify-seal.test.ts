import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../shared/transparency/entry.ts';
import type { Finding, Seal } from '../../../shared/transparency/seal.ts';
import { checkRows } from '../../../shared/transparency/verify-rows.ts';
import { checkEntries, checkPlace } from '../../../shared/transparency/verify-seal.ts';
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

/** The findings without the seal and period that each message begins with. */
const words = (findings: readonly Finding[]) =>
  findings.map(({ code, message }) => `${code}: ${message.replace(/^seal \d+ \([^)]*\): /, '')}`);

describe('the place of a seal', () => {
  test('is right where it goes on from the one before, or is the first', () => {
    expect(checkPlace(FIRST, undefined)).toEqual([]);
    expect(checkPlace(SECOND, FIRST)).toEqual([]);
  });

  test.each<[Partial<Seal>, string]>([
    [{ index: 2 }, 'seal_missing: seal 1 is missing before it'],
    [{ index: 3 }, 'seal_missing: seals 1 to 2 are missing before it'],
    [{ index: 0 }, 'seal_repeated: stands where seal 1 belongs'],
    [
      { from: '2026-11-20T12:09:59.999999Z' },
      'seal_broken: does not begin at 2026-11-20T12:10:00.000000Z, where the one before ends',
    ],
    [{ until: SECOND.from }, 'seal_broken: covers no period'],
    [{ until: '2026-11-20T12:20:00Z' }, 'seal_broken: covers no period'],
    [{ until: 'until 2026-11-20T12:20:00.000000Z' }, 'seal_broken: covers no period'],
    [{ until: '2026-11-20T12:20:00.000000Z at the latest' }, 'seal_broken: covers no period'],
    [{ first_entry: 4, size: 11 }, 'seal_broken: begins with entry 4, not with entry 3'],
    [{ first_entry: 0, size: 7 }, 'seal_broken: begins with entry 0, not with entry 3'],
    [{ entries: 8 }, 'seal_broken: cannot have 8 entries from entry 3 to a size of 10'],
    [{ entries: 0, size: 3 }, 'seal_broken: cannot have 0 entries from entry 3 to a size of 3'],
    [{ entries: 0.5, size: 3.5 }, 'seal_broken: cannot have 0.5 entries from entry 3 to a size of 3.5'],
  ])('is wrong with %j', (change, message) => {
    expect(words(checkPlace({ ...SECOND, ...change }, FIRST))).toEqual([message]);
  });

  test('of the first is wrong with a period whose beginning is no time, or with entries before it', () => {
    expect(words(checkPlace({ ...FIRST, from: '' }, undefined))).toEqual(['seal_broken: covers no period']);
    expect(words(checkPlace({ ...FIRST, first_entry: 1, size: 4 }, undefined))).toEqual([
      'seal_broken: begins with entry 1, not with entry 0',
    ]);
  });
});

describe('the entries of a seal', () => {
  const seven: (Entry | undefined)[] = Array.from({ length: 7 }, (_, place) => anEvent(1, place));
  const withTs = (ts: string | null, place = 0) => seven.with(place, anEvent(1, place, { ts }));
  const check = (entries: readonly (Entry | undefined)[]) => words(checkEntries(SECOND, entries));
  const misplaced = (which: string) => `entry_misplaced: ${which}: out of the seal's period or order`;

  test('are right in order and period, at the first moment of it and before the end', () => {
    expect(check(seven)).toEqual([]);
    expect(check(withTs(SECOND.from))).toEqual([]);
    expect(check(withTs('2026-11-20T12:19:59.999999Z', 6))).toEqual([]);
  });

  test('of one moment are in the order of their ids', () => {
    const together = seven.map((_, place) => anEvent(1, place, { ts: SECOND.from }));
    expect(check(together)).toEqual([]);
    expect(check(together.toReversed())).toEqual([misplaced('entry 4, 5, 6, 7, 8, … (6)')]);
  });

  test.each(['2026-11-20T12:09:59.999999Z', '2026-11-20T12:15:00Z', 'at 2026-11-20T12:15:00.000000Z', '', null])(
    'are misplaced with the time %j',
    (ts) => {
      expect(check(withTs(ts, 6))).toEqual([misplaced('entry 9')]);
    },
  );

  test('are misplaced at the end of the period, and past their number', () => {
    expect(check(withTs(SECOND.until, 6))).toEqual([misplaced('entry 9')]);
    expect(check([...seven, anEvent(1, 7)])).toEqual([misplaced('entry 10')]);
  });

  test('are missing by their numbers, the first five of them named', () => {
    expect(check(seven.with(2, undefined).with(4, undefined))).toEqual(['entry_missing: entry 5, 7 (2): deleted']);
    expect(check(seven.slice(0, 2))).toEqual(['entry_missing: entry 5, 6, 7, 8, 9 (5): deleted']);
    expect(check([])).toEqual(['entry_missing: entry 3, 4, 5, 6, 7, … (7): deleted']);
  });

  test('around one that is missing are still held to their order', () => {
    const [first = anEvent(1, 0), , third = anEvent(1, 2), ...rest] = seven;
    expect(check([third, undefined, first, ...rest])).toEqual([
      'entry_missing: entry 4: deleted',
      misplaced('entry 5'),
    ]);
  });
});

describe('the audit log beside a seal', () => {
  const [one, two] = [anEvent(1, 0), anEvent(1, 1)];
  const check = (entries: Parameters<typeof checkRows>[1], rows: readonly Entry[]) =>
    words(checkRows(SECOND, entries, rows));

  test('is right with the same events in any order', () => {
    expect(check([one, two], [two, one])).toEqual([]);
    expect(check([], [])).toEqual([]);
  });

  test('is wrong with more, with fewer, or with others', () => {
    const altered = { ...two, result: 'error' };
    expect(check([one], [two, one])).toEqual([
      `row_added: event ${two.id}: in the audit log and not sealed: added, backdated, or committed too late`,
    ]);
    expect(check([one, two], [one])).toEqual([`row_missing: event ${two.id}: sealed and not in the audit log`]);
    expect(check([one, two], [altered, one])).toEqual([
      `row_altered: event ${two.id}: the audit log shows another than is sealed`,
    ]);
  });

  test('is not held against an entry that is not there', () => {
    expect(check([one, undefined], [one])).toEqual([]);
  });
});
