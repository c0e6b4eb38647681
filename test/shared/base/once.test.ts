import { expect, test } from 'vitest';
import { nextTurn } from '../../../shared/base/next-turn.ts';
import { once } from '../../../shared/base/once.ts';

test('a function made by once() starts its work at the first call, and every call gets the same outcome', async () => {
  let starts = 0;
  const fact = once(async () => ++starts);
  expect(starts).toBe(0);
  expect([await fact(), await fact()]).toEqual([1, 1]);
});

test('a function made by once() does not repeat failed work, and an unhandled failure does not end the process', async () => {
  let starts = 0;
  const fact = once(async () => {
    throw new Error(`start ${++starts}`);
  });
  void fact();
  await nextTurn();
  await expect(fact()).rejects.toThrow('start 1');
});
