import { expect, test } from 'vitest';
import { Readiness } from '../../../shared/http/readiness.ts';

const silent = { write() {} };

/** Parts that answer when told to, and how often each was asked. */
function makeParts() {
  const asked = { store: 0, kms: 0, policy: 0 };
  const held: PromiseWithResolvers<void>[] = [];
  const part = (name: keyof typeof asked) => ({
    ping() {
      asked[name]++;
      const ping = Promise.withResolvers<void>();
      held.push(ping);
      return ping.promise;
    },
  });
  const answer = (isWell = true) => {
    for (const { resolve, reject } of held.splice(0)) isWell ? resolve() : reject(new Error('down'));
  };
  return { parts: { store: part('store'), kms: part('kms'), policy: part('policy') }, asked, answer };
}

const WELL = { firestore: 'ok', kms: 'ok', policy: 'ok' };
const DOWN = { firestore: 'unavailable', kms: 'unavailable', policy: 'unavailable' };

function start() {
  const made = makeParts();
  const clock = { ms: 5_000 };
  return { ...made, clock, readiness: new Readiness(made.parts, silent, () => clock.ms) };
}

test('one probe serves all who ask while it is under way, and for ten seconds from its beginning', async () => {
  const { readiness, asked, answer, clock } = start();
  const both = [readiness.probe(), readiness.probe()];
  answer();
  expect(await Promise.all(both)).toEqual([WELL, WELL]);
  clock.ms += 9_999;
  expect(await readiness.probe()).toEqual(WELL);
  expect(asked).toEqual({ store: 1, kms: 1, policy: 1 });
  clock.ms += 1;
  const later = readiness.probe();
  answer(false);
  expect(await later).toEqual(DOWN);
  expect(asked).toEqual({ store: 2, kms: 2, policy: 2 });
});

test('a probe that found something amiss is kept as long', async () => {
  const { readiness, asked, answer, clock } = start();
  const first = readiness.probe();
  answer(false);
  expect(await first).toEqual(DOWN);
  clock.ms += 9_999;
  expect(await readiness.probe()).toEqual(DOWN);
  expect(asked.kms).toBe(1);
});
