import { expect, test, vi } from 'vitest';
import { makeOnce } from '../../../shared/base/make-once.ts';

test('a value is made once, also for simultaneous callers, and a failure is not kept', async () => {
  const make = vi.fn<() => Promise<number>>().mockRejectedValueOnce(new Error('not now')).mockResolvedValue(7);
  const get = makeOnce(make);
  const [first, second] = await Promise.allSettled([get(), get()]);
  expect([first?.status, second?.status]).toEqual(['rejected', 'rejected']);
  expect(await Promise.all([get(), get()])).toEqual([7, 7]);
  expect(await get()).toBe(7);
  expect(make).toHaveBeenCalledTimes(2);
});
