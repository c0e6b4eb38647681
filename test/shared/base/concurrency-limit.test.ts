import { describe, expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../../shared/base/concurrency-limit.ts';

const full = () => new Error('full');

describe('a concurrency limit', () => {
  test('a concurrency limit admits as many callers as it has places, and refuses the next caller', () => {
    const limit = new ConcurrencyLimit(2);
    limit.take(full);
    limit.take(full);
    expect(() => limit.take(full)).toThrow('full');
  });

  test('a place is free again once it is disposed, even after an error', async () => {
    const limit = new ConcurrencyLimit(1);
    const failing = async () => {
      using _place = limit.take(full);
      await Promise.reject(new Error('failed'));
    };
    await expect(failing()).rejects.toThrow('failed');
    await expect(failing()).rejects.toThrow('failed');
    expect(limit.taken).toBe(0);
  });

  test('a concurrency limit reports how many places are occupied', () => {
    const limit = new ConcurrencyLimit(2);
    const places = [limit.take(full), limit.take(full)];
    expect(limit.taken).toBe(2);
    for (const place of places) place[Symbol.dispose]();
    expect(limit.taken).toBe(0);
  });

  test('a refused caller occupies no place', () => {
    const limit = new ConcurrencyLimit(1);
    const place = limit.take(full);
    for (let attempt = 0; attempt < 5; attempt++) expect(() => limit.take(full)).toThrow('full');
    place[Symbol.dispose]();
    expect(() => limit.take(full)).not.toThrow();
  });
});
