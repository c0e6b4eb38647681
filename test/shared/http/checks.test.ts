import { expect, test } from 'vitest';
import { notFound } from '../../../shared/errors.ts';
import { Checks } from '../../../shared/http/checks.ts';
import { KEY, METERED, NEW_KEY, OBJECT, PLAIN } from '../../../shared/http/kinds.ts';

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
