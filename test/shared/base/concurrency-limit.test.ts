import { describe, expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../../shared/base/concurrency-limit.ts';

const full = () => new Error('full');

describe('a concurrency limit', () => {
  test('a concurrency limit admits as many callers as it has slots, and refuses the next caller', () => {
    const limit = new ConcurrencyLimit(2);
    limit.take(full);
    limit.take(full);
    expect(() => limit.take(full)).toThrow('full');
  });

  test('a caller frees its slot when the slot is disposed, even after an error', async () => {
    const limit = new ConcurrencyLimit(1);
    const failing = async () => {
      using _slot = limit.take(full);
      await Promise.reject(new Error('failed'));
    };
    await expect(failing()).rejects.toThrow('failed');
    await expect(failing()).rejects.toThrow('failed');
    expect(limit.taken).toBe(0);
  });

  test('a concurrency limit reports how many slots are occupied', () => {
    const limit = new ConcurrencyLimit(2);
    const slots = [limit.take(full), limit.take(full)];
    expect(limit.taken).toBe(2);
    for (const slot of slots) slot[Symbol.dispose]();
    expect(limit.taken).toBe(0);
  });

  test('a refused caller occupies no slot', () => {
    const limit = new ConcurrencyLimit(1);
    const slot = limit.take(full);
    for (let attempt = 0; attempt < 5; attempt++) expect(() => limit.take(full)).toThrow('full');
    slot[Symbol.dispose]();
    expect(() => limit.take(full)).not.toThrow();
  });
});
