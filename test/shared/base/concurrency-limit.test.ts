import { describe, expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../../shared/base/concurrency-limit.ts';

const full = () => new Error('full');

describe('a concurrency limit', () => {
  test('admits work up to the limit, and refuses more at once without running it', async () => {
    const gate = new ConcurrencyLimit(2);
    const held = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const admitted = held.map(({ promise }) => gate.enter(() => promise, full));
    let ran = false;
    const refused = gate.enter(async () => {
      ran = true;
    }, full);
    await expect(refused).rejects.toThrow('full');
    expect(ran).toBe(false);
    for (const { resolve } of held) resolve('done');
    expect(await Promise.all(admitted)).toEqual(['done', 'done']);
  });

  test('frees a slot when work succeeds, fails, or throws synchronously', async () => {
    const gate = new ConcurrencyLimit(1);
    await expect(gate.enter(async () => 'done', full)).resolves.toBe('done');
    await expect(gate.enter(() => Promise.reject(new Error('failed')), full)).rejects.toThrow('failed');
    const throwing = () => {
      throw new Error('thrown');
    };
    await expect(gate.enter(throwing, full)).rejects.toThrow('thrown');
    await expect(gate.enter(async () => 'done', full)).resolves.toBe('done');
  });

  test('reports the work in flight', async () => {
    const gate = new ConcurrencyLimit(2);
    const held = Promise.withResolvers<void>();
    const admitted = [gate.enter(() => held.promise, full), gate.enter(() => held.promise, full)];
    expect(gate.taken).toBe(2);
    held.resolve();
    await Promise.all(admitted);
    expect(gate.taken).toBe(0);
  });

  test('refused work takes no slot', async () => {
    const gate = new ConcurrencyLimit(1);
    const held = Promise.withResolvers<void>();
    const admitted = gate.enter(() => held.promise, full);
    for (let attempt = 0; attempt < 5; attempt++) await expect(gate.enter(async () => 1, full)).rejects.toThrow('full');
    held.resolve();
    await admitted;
    await expect(gate.enter(async () => 1, full)).resolves.toBe(1);
  });
});
