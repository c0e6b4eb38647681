import { expect, test } from 'vitest';
import { soak } from '../../reliability/soak/soak-run.ts';
import { ownStack } from '../../support/own-stack.ts';

const stack = ownStack();

test('with intermittent faults and a month’s end, every acknowledged request of 50 tenants is counted, recorded, sealed and billed exactly once', {
  timeout: 900_000,
}, async () => {
  const { outcomes, requests, faults } = await soak(stack, { minutes: 1, seed: 1, say: () => undefined });
  // `figures are level` is not checked, because one minute is too short to judge whether a figure grows over time.
  const broken = outcomes.filter(({ promise, flaws }) => flaws.length > 0 && promise !== 'figures are level');
  expect(broken).toEqual([]);
  expect(requests).toBeGreaterThan(500);
  expect(faults).toBeGreaterThan(1);
});
