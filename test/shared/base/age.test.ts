import { describe, expect, test } from 'vitest';
import { byAge } from '../../../shared/base/age.ts';
import { makeInstant } from '../../../shared/base/clock.ts';

const at = (micros: number, id: string) => ({ created_at: makeInstant(micros), id });

describe('a list is ordered', () => {
  test('oldest first, whatever the ids', () => {
    const [first, second, third] = [at(-1, 'c'), at(1_793_491_199_999_999, 'b'), at(1_793_491_200_000_000, 'a')];
    expect([third, first, second].sort(byAge)).toEqual([first, second, third]);
  });

  test('by id where things were made in the same microsecond, whichever comes first', () => {
    const [first, second, third] = [at(5, '0a'), at(5, '0b'), at(5, 'f0')];
    expect([third, second, first].sort(byAge)).toEqual([first, second, third]);
    expect([first, second, third].sort(byAge)).toEqual([first, second, third]);
  });
});
