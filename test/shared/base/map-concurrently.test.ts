import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapConcurrently } from '../../../shared/base/map-concurrently.ts';

const FOREVER = 60_000;

/** Yields the numbers below `count`, and records how many numbers were pulled. */
function countPulls(count: number) {
  const pulled = { items: 0, ended: false };
  async function* numbers() {
    try {
      for (let n = 0; n < count; n++) {
        pulled.items++;
        yield n;
      }
    } finally {
      pulled.ended = true;
    }
  }
  return { pulled, items: numbers() };
}

test('every item is processed once, with exactly the given concurrency', async () => {
  let [running, maxRunning] = [0, 0];
  const outcomes = await mapConcurrently(countPulls(40).items, { concurrency: 4, forMs: FOREVER }, async (n) => {
    maxRunning = Math.max(maxRunning, ++running);
    await turn();
    running--;
    return n;
  });
  expect(outcomes.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  expect(maxRunning).toBe(4);
});

test('an item is pulled from the source only when a worker is free', async () => {
  const { pulled, items } = countPulls(10);
  const ahead: number[] = [];
  let begun = 0;
  await mapConcurrently(items, { concurrency: 2, forMs: FOREVER }, async () => {
    ahead.push(pulled.items - ++begun);
    await turn();
  });
  expect(Math.max(...ahead)).toBeLessThanOrEqual(2);
});

test('once the time is up, no further item is pulled from the source or processed', async () => {
  const { pulled, items } = countPulls(1_000);
  const outcomes = await mapConcurrently(items, { concurrency: 2, forMs: 0 }, async (n) => n);
  expect(outcomes).toEqual([]);
  expect(pulled.items).toBeLessThanOrEqual(2);
  expect(pulled.ended).toBe(true);
});

test('an error in the source or in the work is thrown once all running work has ended', async () => {
  async function* failing() {
    yield 1;
    throw new Error('no more');
  }
  const done: number[] = [];
  const work = async (n: number) => {
    await turn();
    done.push(n);
  };
  await expect(mapConcurrently(failing(), { concurrency: 2, forMs: FOREVER }, work)).rejects.toThrow('no more');
  expect(done).toEqual([1]);
  const refuse = async () => Promise.reject(new Error('refused'));
  await expect(mapConcurrently([1, 2, 3], { concurrency: 2, forMs: FOREVER }, refuse)).rejects.toThrow('refused');
});
