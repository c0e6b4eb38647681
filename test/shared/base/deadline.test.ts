import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeadlineExceeded, withDeadline } from '../../../shared/base/deadline.ts';

describe('a deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a call past its deadline fails with an error that names the call', async () => {
    const answer = withDeadline('the store', 1000, new Promise(() => undefined));
    const refused = expect(answer).rejects.toThrow(new DeadlineExceeded('the store: no answer within 1000 ms'));
    await vi.advanceTimersByTimeAsync(1000);
    await refused;
  });

  test('an answer that arrives before the deadline is returned', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const answer = withDeadline('the store', 1000, promise);
    await vi.advanceTimersByTimeAsync(999);
    resolve('in time');
    await expect(answer).resolves.toBe('in time');
  });

  test('an error that is thrown before the deadline is passed on unchanged', async () => {
    const failure = new Error('refused');
    await expect(withDeadline('the store', 1000, Promise.reject(failure))).rejects.toBe(failure);
  });

  test.each([
    ['an answer', async () => 1],
    ['a failure', () => Promise.reject(new Error('refused'))],
  ])('the timer of a deadline is cleared after %s', async (_, work) => {
    await withDeadline('the store', 1000, work()).catch(() => undefined);
    expect(vi.getTimerCount()).toBe(0);
  });
});
