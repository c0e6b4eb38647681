import { expect, test } from 'vitest';
import { notFound } from '../../../shared/errors.ts';
import { Checks } from '../../../shared/http/checks.ts';
import { KEY, METERED, NEW_KEY, OBJECT, PLAIN } from '../../../shared/http/kinds.ts';
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

const CODES = ['not_found'] as const;

test('checks run one after the other, and each gets what the earlier ones have found', async () => {
  const seen: string[] = [];
  const checks = Checks.of<{ readonly begun: string }>()
    .find({ name: 'first', codes: CODES, check: async ({ begun }) => ({ first: `${begun}, first` }) })
    .refuse({ name: 'second', codes: CODES, check: ({ first }) => seen.push(first) })
    .find({ name: 'third', codes: CODES, check: ({ first }) => ({ third: `${first}, third` }) });
  expect(await checks.run({ begun: 'begun' })).toEqual({
    begun: 'begun',
    first: 'begun, first',
    third: 'begun, first, third',
  });
  expect(seen).toEqual(['begun, first']);
  expect(checks.list.map(({ name }) => name)).toEqual(['first', 'second', 'third']);
});

test('the first check that fails decides the error, and no later check runs', async () => {
  const ran: string[] = [];
  const checks = Checks.of<object>()
    .refuse({ name: 'passes', codes: CODES, check: () => ran.push('passes') })
    .refuse({ name: 'fails', codes: CODES, check: () => Promise.reject(notFound()) })
    .refuse({ name: 'never', codes: CODES, check: () => ran.push('never') });
  await expect(checks.run({})).rejects.toMatchObject({ code: 'not_found' });
  expect(ran).toEqual(['passes']);
});

test.each([
  ['a key', KEY],
  ['an operation', METERED],
  ['a new key', NEW_KEY],
  ['an object', OBJECT],
  ['nothing', PLAIN],
])(
  'the checks of routes about %s begin with the credential, and no refusal before the key or the role is recorded',
  (_, { checks }) => {
    expect(checks[0]?.codes).toEqual(['unauthorized']);
    const recorded = checks.map(({ isRecorded }) => isRecorded === true);
    expect(recorded.indexOf(true)).toBeGreaterThan(checks.findIndex(({ codes }) => codes.includes('ip_not_allowed')));
    expect(recorded.slice(recorded.indexOf(true)).every(Boolean)).toBe(true);
  },
);
