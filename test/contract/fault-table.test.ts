import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BesetService, besetService, type Kind, type Part } from '../reliability/beset-service.ts';
import { CASES } from '../reliability/expectations.ts';
import { goThrough } from '../reliability/fault-run.ts';
import { ownStack } from '../support/own-stack.ts';
import { ROUTES } from './route-table.ts';

const stack = ownStack();
const timeout = 120_000;

let service: BesetService;
beforeAll(async () => {
  service = await besetService(stack);
});
beforeEach(() => service.start());
afterEach(() => service.end('SIGTERM'));
afterAll(() => service.stop());

test('every route goes through the faults', () => {
  expect([...new Set(CASES.map(({ call }) => call))].sort()).toEqual(ROUTES.map(({ call }) => call).sort());
});

/** What is too slow fails by its deadline, which other tests hold: `npm run faults` has all kinds. */
test.each<[Part, Kind]>([
  ['kms', 'down'],
  ['kms', 'failing'],
  ['firestore', 'down'],
  ['firestore', 'failing'],
  ['pdp', 'down'],
  ['pdp', 'failing'],
  ['idp', 'down'],
  ['idp', 'failing'],
  ['stripe', 'down'],
  ['stripe', 'failing'],
])(
  'with %s %s every route is answered as it should be, does things whole or not at all, and is well again by itself',
  {
    timeout,
  },
  async (part, kind) => {
    const { ordeals } = await goThrough(stack, service, CASES, part, kind);
    const flawed = ordeals.filter(({ flaws }) => flaws.length > 0);
    expect(flawed.map(({ of, flaws }) => `${of.call} by ${of.by}: ${flaws.join(', ')}`)).toEqual([]);
    expect(ordeals).toHaveLength(CASES.length);
  },
);
