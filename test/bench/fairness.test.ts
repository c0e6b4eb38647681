import { expect, test } from 'vitest';
import { harmOf } from '../../bench/fairness/report.ts';
import { Tally } from '../../bench/fairness/tally.ts';

/** Returns a tally of 100 requests that took `tookMs` each and had these failures in total. */
function phase(tookMs: number, failures: readonly string[] = []): Tally {
  const tally = new Tally();
  for (let n = failures.length; n < 100; n++) tally.record('200', tookMs);
  for (const outcome of failures) tally.record(outcome, tookMs);
  return tally;
}

const harm = (before: Tally, during: Tally, after: Tally = before) =>
  harmOf({ attack: { name: 'lists', sends: 'lists' }, other: { before, during, after }, attacker: [] });

test('an attack counts as harmful if a request of another tenant fails or that tenant’s p95 latency grows more than tenfold', () => {
  expect(harm(phase(10), phase(90))).toEqual([]);
  expect(harm(phase(10), phase(110))).toEqual(['lists: p95 11.0 times as long as before']);
  expect(harm(phase(10), phase(10, ['500 internal_error']))).toEqual(['lists: 1 × 500 internal_error']);
  expect(harm(phase(10), phase(10), phase(10, ['no answer', 'no answer']))).toEqual(['lists: 2 × no answer']);
});
