import { expect, test } from 'vitest';
import { HOUR_US, MINUTE_US, makeInstant } from '../../shared/base/clock.ts';
import { isComparisonDue } from '../../shared/sealing/compare.ts';

/** Returns the scheduled minutes of the runs that compare rows with seals, if every run is `late` minutes late. */
function dueMinutes(late: number): number[] {
  const hour = 490_000 * HOUR_US;
  return [0, 10, 20, 30, 40, 50].filter((minute) => isComparisonDue(makeInstant(hour + (minute + late) * MINUTE_US)));
}

test.each([-4.9, 0, 0.1, 4.9])(
  'two of the six seal-audit runs in an hour compare audit rows with seals, even if all runs start %s minutes late',
  (late) => {
    expect(dueMinutes(late)).toEqual([0, 30]);
  },
);
