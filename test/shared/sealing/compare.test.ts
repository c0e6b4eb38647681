import { expect, test } from 'vitest';
import { HOUR_US, MINUTE_US, makeInstant } from '../../../shared/base/clock.ts';
import { isComparisonDue } from '../../../shared/sealing/compare.ts';

/** The scheduled minutes of an hour at which a run compares, if every run is `late` minutes late. */
function dueMinutes(late: number): number[] {
  const hour = 490_000 * HOUR_US;
  return [0, 10, 20, 30, 40, 50].filter((minute) => isComparisonDue(makeInstant(hour + (minute + late) * MINUTE_US)));
}

test.each([-4.9, 0, 0.1, 4.9])(
  'two of the six runs of an hour compare rows with seals, even if they are %s minutes late',
  (late) => {
    expect(dueMinutes(late)).toEqual([0, 30]);
  },
);
