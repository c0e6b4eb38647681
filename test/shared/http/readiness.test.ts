import { expect, test } from 'vitest';
import { Readiness } from '../../../shared/http/readiness.ts';

const silent = { write() {} };

/** Makes dependencies whose pings stay open until the test answers them. Counts the pings of each dependency. */
function makeDependencies() {
  const pings = { store: 0, kms: 0, policy: 0 };
  const pending: PromiseWithResolvers<void>[] = [];
  const dependency = (name: keyof typeof pings) => ({
    ping() {
      pings[name]++;
      const ping = Promise.withResolvers<void>();
      pending.push(ping);
      return ping.promise;
    },
  });
  const answer = (succeeds = true) => {
    for (const { resolve, reject } of pending.splice(0)) succeeds ? resolve() : reject(new Error('down'));
  };
  return { parts: { store: dependency('store'), kms: dependency('kms'), policy: dependency('policy') }, pings, answer };
}

const ALL_OK = { firestore: 'ok', kms: 'ok', policy: 'ok' };
const ALL_DOWN = { firestore: 'unavailable', kms: 'unavailable', policy: 'unavailable' };

function start() {
  const made = makeDependencies();
  const clock = { ms: 5_000 };
  return { ...made, clock, readiness: new Readiness(made.parts, silent, () => clock.ms) };
}

test('one readiness probe serves all requests while it runs, and for ten seconds from its start', async () => {
  const { readiness, pings, answer, clock } = start();
  const both = [readiness.probe(), readiness.probe()];
  answer();
  expect(await Promise.all(both)).toEqual([ALL_OK, ALL_OK]);
  clock.ms += 9_999;
  expect(await readiness.probe()).toEqual(ALL_OK);
  expect(pings).toEqual({ store: 1, kms: 1, policy: 1 });
  clock.ms += 1;
  const later = readiness.probe();
  answer(false);
  expect(await later).toEqual(ALL_DOWN);
  expect(pings).toEqual({ store: 2, kms: 2, policy: 2 });
});

test('even the result of a failed readiness probe is kept for ten seconds', async () => {
  const { readiness, pings, answer, clock } = start();
  const first = readiness.probe();
  answer(false);
  expect(await first).toEqual(ALL_DOWN);
  clock.ms += 9_999;
  expect(await readiness.probe()).toEqual(ALL_DOWN);
  expect(pings.kms).toBe(1);
});
