import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BesetService, besetService } from '../reliability/beset-service.ts';
import { endUnderLoad } from '../reliability/crash-run.ts';
import { CASES } from '../reliability/expectations.ts';
import { goThrough } from '../reliability/fault-run.ts';
import { ownStack } from '../support/own-stack.ts';
import { ROUTES } from './route-table.ts';

/* One round of what crash.long.test.ts and fault-table.long.test.ts have many of. */
const stack = ownStack();
const timeout = 120_000;

let service: BesetService;
beforeAll(async () => {
  service = await besetService(stack);
});
beforeEach(() => service.start());
afterEach(() => service.end('SIGTERM'));
afterAll(() => service.stop());

test('a process killed under load loses nothing that it acknowledged, and counts nothing that was not attempted', {
  timeout,
}, async () => {
  const kill = { signal: 'SIGKILL', rounds: 1, firestore: 'slow' } as const;
  const { flaws, acknowledged, endings } = await endUnderLoad(service, kill);
  expect(flaws).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
  // The load was there when the process was killed.
  expect(endings.unanswered).toBeGreaterThan(0);
});

test('every route goes through the faults', () => {
  expect([...new Set(CASES.map(({ call }) => call))].sort()).toEqual(ROUTES.map(({ call }) => call).sort());
});

test('with the KMS failing every route is answered as it should be, does things whole or not at all, and is well again by itself', {
  timeout,
}, async () => {
  const { ordeals } = await goThrough(stack, service, CASES, 'kms', 'failing');
  const flawed = ordeals.filter(({ flaws }) => flaws.length > 0);
  expect(flawed.map(({ of, flaws }) => `${of.call} by ${of.by}: ${flaws.join(', ')}`)).toEqual([]);
  expect(ordeals).toHaveLength(CASES.length);
});
