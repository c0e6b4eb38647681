import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AuditEvent, UsageLine } from '../../client/src/types.ts';
import type { Reading } from './soak/gauge.ts';
import { compareThirds, isWithinLimit, type Measurements } from './soak/growth.ts';
import { BETWEEN, compareDays, Ledger } from './soak/ledger.ts';

const [KEY, REQUEST] = [randomUUID(), randomUUID()];
const [FIRST, SECOND] = ['2026-11', '2026-12'];

function line(ops: number, key_id = KEY): UsageLine {
  return { key_id, container_id: KEY, ops, overage_ops: 0, cap: 100, allowance: 100 };
}

function row(request_id: string | null, operation: AuditEvent['operation'] = 'encrypt', id = randomUUID()): AuditEvent {
  const nobody = { api_key_id: null, user_id: null, target_id: null };
  return { id, ts: new Date(0), operation, result: 'success', error_code: null, request_id, key_id: KEY, ...nobody };
}

/**
 * Returns how many differences a ledger reports if the service counted `first` and `second` operations in two months.
 * The ledger has three operations in the first month and two in the second. `note` can add more.
 */
function flawsOf(first: number, second: number, note: (ledger: Ledger) => void = () => undefined): number {
  const ledger = new Ledger();
  ledger.counted(KEY, FIRST, 3);
  ledger.counted(KEY, SECOND, 2);
  note(ledger);
  return ledger.compareUsage(
    new Map([
      [FIRST, [line(first)]],
      [SECOND, [line(second)]],
    ]),
  ).length;
}

describe('the soak drill’s comparison of counts and audit rows with the answers of the service', () => {
  test('an acknowledged operation that is not counted, counted twice or counted in the wrong month is reported', () => {
    expect(flawsOf(3, 2)).toBe(0);
    expect(flawsOf(2, 2)).toBeGreaterThan(0);
    expect(flawsOf(4, 2)).toBeGreaterThan(0);
    expect(flawsOf(2, 3)).toBeGreaterThan(0);
  });

  test('a failed operation may be counted or not, and an operation during which a month ends may be counted in either month', () => {
    const failed = (ledger: Ledger) => ledger.maybeCounted(KEY, FIRST, 1);
    expect([flawsOf(3, 2, failed), flawsOf(4, 2, failed)]).toEqual([0, 0]);
    expect(flawsOf(3, 3, failed)).toBeGreaterThan(0);
    const late = (ledger: Ledger) => ledger.counted(KEY, BETWEEN, 1);
    expect([flawsOf(4, 2, late), flawsOf(3, 3, late)]).toEqual([0, 0]);
    expect(flawsOf(3, 2, late)).toBeGreaterThan(0);
    expect(flawsOf(4, 3, late)).toBeGreaterThan(0);
  });

  test('a count for a key that was never used is reported, and so are daily counts that do not add up to the month’s count', () => {
    expect(new Ledger().compareUsage(new Map([[FIRST, [line(1)]]]))).toHaveLength(1);
    const day = { day: '2026-11-30', key_id: KEY, container_id: KEY, ops: 2 };
    expect(compareDays([line(2)], [day])).toEqual([]);
    expect(compareDays([line(3)], [day])).toHaveLength(1);
  });

  test.each<[string, number, AuditEvent[]]>([
    ['one row', 0, [row(REQUEST)]],
    ['one row, and a row without a request ID', 0, [row(REQUEST), row(null, 'destroy_key')]],
    ['no row', 1, []],
    ['two rows', 1, [row(REQUEST), row(REQUEST)]],
    ['a row of another operation', 1, [row(REQUEST, 'wrap')]],
    ['one row, and a row of an unknown request', 1, [row(REQUEST), row(randomUUID())]],
    ['one row, and another row with the same ID', 1, [row(REQUEST, 'encrypt', KEY), row(null, 'encrypt', KEY)]],
  ])('if the audit log has %s for an acknowledged operation, the number of reported errors is %i', (_, flaws, rows) => {
    const ledger = new Ledger();
    ledger.recorded(REQUEST, 'encrypt', 1);
    expect(ledger.compareRows(rows)).toHaveLength(flaws);
  });
});

describe('the soak drill’s comparison of the first and the last third of a run', () => {
  const MINUTE_MS = 60_000;
  const moments = Array.from({ length: 600 }, (_, n) => n * 100);
  const reading: Reading = { at: 0, heapBytes: 60e6, rssBytes: 250e6, handles: 50, sockets: 25, load: 2, cpuUs: 0 };
  const measured: Measurements = {
    from: 0,
    until: MINUTE_MS,
    readings: moments.map((at) => ({ ...reading, at })),
    sent: moments.map((at) => ({ kind: 'Transit', at, tookMs: 20 })),
    directReads: moments.map((at) => ({ at, tookMs: 2 })),
    isQuiet: () => true,
  };
  const exceeded = (changes: Partial<Measurements>) =>
    compareThirds({ ...measured, ...changes })
      .filter((one) => !isWithinLimit(one))
      .map(({ name }) => name);
  const slower = ({ at, tookMs }: { at: number; tookMs: number }) => ({
    at,
    tookMs: at < MINUTE_MS / 2 ? tookMs : 4 * tookMs,
  });

  test('no figure exceeds its limit if nothing grows during the run', () => {
    expect(exceeded({})).toEqual([]);
  });

  test('memory and sockets exceed their limits if they grow throughout the run', () => {
    const readings = measured.readings.map((one) => ({
      ...one,
      heapBytes: reading.heapBytes + 400 * one.at,
      sockets: reading.sockets + one.at / 2_000,
    }));
    expect(exceeded({ readings })).toEqual(['memory in use', 'sockets']);
  });

  test('growing latency exceeds its limit, unless the machine’s load or the latency of direct reads grows as much', () => {
    const sent = measured.sent.map((one) => ({ ...one, ...slower(one) }));
    expect(exceeded({ sent })).toEqual(['Transit, p50', 'Transit, p95']);
    expect(exceeded({ sent, directReads: measured.directReads.map(slower) })).toEqual([]);
    const readings = measured.readings.map((one) => ({ ...one, load: slower({ at: one.at, tookMs: 2 }).tookMs }));
    expect(exceeded({ sent, readings })).toEqual([]);
  });

  test('the latency of audit log requests has no limit', () => {
    const sent = measured.sent.map((one) => ({ ...one, ...slower(one), kind: 'audit log' as const }));
    expect(exceeded({ sent })).toEqual([]);
  });

  test('slow answers during a fault or a scheduled function do not count towards the limit of latency', () => {
    const isNoisy = (at: number) => at > MINUTE_MS / 2 && Math.floor(at / 5_000) % 2 === 0;
    const sent = measured.sent.map((one) => (isNoisy(one.at) ? { ...one, tookMs: 500 } : one));
    expect(exceeded({ sent })).toEqual(['Transit, p95']);
    expect(exceeded({ sent, isQuiet: (at) => !isNoisy(at) })).toEqual([]);
  });
});
