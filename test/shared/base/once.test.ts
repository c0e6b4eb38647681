import { expect, test } from 'vitest';
import { nextTurn } from '../../../shared/base/next-turn.ts';
import { once } from '../../../shared/base/once.ts';

test('a function made by once() starts its work at the first call, and every call gets the same outcome', async () => {
  let starts = 0;
  const start = once(async () => ++starts);
  expect(starts).toBe(0);
  expect([await start(), await start()]).toEqual([1, 1]);
});

test('a function made by once() does not repeat failed work, and an unhandled failure does not end the process', async () => {
  let starts = 0;
  const start = once(async () => {
    throw new Error(`start ${++starts}`);
  });
  void start();
  await nextTurn();
  await expect(start()).rejects.toThrow('start 1');
});
