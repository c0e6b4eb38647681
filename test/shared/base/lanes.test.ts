import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inLanes } from '../../../shared/base/lanes.ts';

const FOREVER = 60_000;

/** As many numbers, and how many of them were asked for so far. */
function counted(count: number) {
  const asked = { items: 0, ended: false };
  async function* numbers() {
    try {
      for (let n = 0; n < count; n++) {
        asked.items++;
        yield n;
      }
    } finally {
      asked.ended = true;
    }
  }
  return { asked, items: numbers() };
}

test('every item goes to one lane, and as many run side by side as there are lanes', async () => {
  let [running, most] = [0, 0];
  const outcomes = await inLanes(counted(40).items, { sideBySide: 4, forMs: FOREVER }, async (n) => {
    most = Math.max(most, ++running);
    await pause(1);
    running--;
    return n;
  });
  expect(outcomes.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  expect(most).toBe(4);
});

test('items are asked for as lanes come free, not ahead of them', async () => {
  const { asked, items } = counted(10);
  const ahead: number[] = [];
  let begun = 0;
  await inLanes(items, { sideBySide: 2, forMs: FOREVER }, async () => {
    ahead.push(asked.items - ++begun);
    await pause(1);
  });
  expect(Math.max(...ahead)).toBeLessThanOrEqual(2);
});

test('once the time is up none is begun, and no more are asked for', async () => {
  const { asked, items } = counted(1_000);
  const outcomes = await inLanes(items, { sideBySide: 2, forMs: 0 }, async (n) => n);
  expect(outcomes).toEqual([]);
  expect(asked.items).toBeLessThanOrEqual(2);
  expect(asked.ended).toBe(true);
});

test('items that fail to come, and work that throws, are thrown once what was begun has ended', async () => {
  async function* failing() {
    yield 1;
    throw new Error('no more');
  }
  const done: number[] = [];
  const work = async (n: number) => {
    await pause(5);
    done.push(n);
  };
  await expect(inLanes(failing(), { sideBySide: 2, forMs: FOREVER }, work)).rejects.toThrow('no more');
  expect(done).toEqual([1]);
  const refuse = async () => Promise.reject(new Error('refused'));
  await expect(inLanes([1, 2, 3], { sideBySide: 2, forMs: FOREVER }, refuse)).rejects.toThrow('refused');
});
