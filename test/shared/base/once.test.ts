import { expect, test } from 'vitest';
import { nextTurn } from '../../../shared/base/next-turn.ts';
import { once } from '../../../shared/base/once.ts';

test('once() starts its work at the first call, and every call gets the outcome', async () => {
  let starts = 0;
  const fact = once(async () => ++starts);
  expect(starts).toBe(0);
  expect([await fact(), await fact()]).toEqual([1, 1]);
});

test('once() does not start failed work again, and the failure needs no handler', async () => {
  let starts = 0;
  const fact = once(async () => {
    throw new Error(`start ${++starts}`);
  });
  void fact();
  await nextTurn();
  await expect(fact()).rejects.toThrow('start 1');
});
