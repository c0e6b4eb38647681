import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BoundedCache } from '../../src/records/bounded-cache.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a cached value expires after its lifetime, even if it is used often', () => {
  const cache = new BoundedCache<string>(100, 10);
  cache.set('a', 'one');
  for (let ms = 0; ms < 99; ms += 33) {
    vi.advanceTimersByTime(33);
    expect(cache.get('a')).toBe('one');
  }
  vi.advanceTimersByTime(1);
  expect(cache.get('a')).toBeUndefined();
  expect(cache.size).toBe(0);
});

test.each([
  ['the monotonic clock', 0, 100],
  ['the wall clock, while the monotonic clock stands still', 100, 0],
  ['the wall clock, which was set back to before the value was cached', -1, 50],
])('a cached value expires by %s', (_, wallMs, monotonicMs) => {
  const cache = new BoundedCache<string>(100, 10);
  const start = Date.now();
  cache.set('a', 'one');
  vi.advanceTimersByTime(monotonicMs);
  vi.setSystemTime(start + wallMs);
  expect(cache.get('a')).toBeUndefined();
});

test('a cached value does not expire if the wall clock is set back, but not to before the value was cached', () => {
  const cache = new BoundedCache<string>(100, 10);
  const start = Date.now();
  cache.set('a', 'one');
  vi.advanceTimersByTime(99);
  vi.setSystemTime(start);
  expect(cache.get('a')).toBe('one');
});

test('a full cache removes the least recently used value', () => {
  const cache = new BoundedCache<string>(100, 2);
  cache.set('a', 'one');
  cache.set('b', 'two');
  cache.get('a');
  cache.set('c', 'three');
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['one', undefined, 'three']);
  expect(cache.size).toBe(2);
});

test('deleting a value that was already replaced does not delete the new value', () => {
  const cache = new BoundedCache<string>(100, 2);
  cache.set('a', 'one');
  cache.set('a', 'two');
  cache.delete('a', 'one');
  expect(cache.get('a')).toBe('two');
  cache.delete('a', 'two');
  expect(cache.get('a')).toBeUndefined();
});
