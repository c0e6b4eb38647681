import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BoundedCache } from '../../src/records/bounded-cache.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
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
