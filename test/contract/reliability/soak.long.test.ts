import { expect, test } from 'vitest';
import { soak } from '../../reliability/soak/soak-run.ts';
import { ownStack } from '../../support/own-stack.ts';

const stack = ownStack();

test('across a month’s end, with faults that come and go, all that 50 tenants were acknowledged is counted, recorded, sealed and billed once', {
  timeout: 900_000,
}, async () => {
  const { outcomes, requests, faults } = await soak(stack, { minutes: 1, seed: 1, say: () => undefined });
  // A minute is too short to tell whether figures are level.
  const broken = outcomes.filter(({ promise, flaws }) => flaws.length > 0 && promise !== 'figures are level');
  expect(broken).toEqual([]);
  expect(requests).toBeGreaterThan(500);
  expect(faults).toBeGreaterThan(1);
});
