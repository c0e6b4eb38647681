import { expect, test } from 'vitest';
import { soak } from '../../reliability/soak/soak-run.ts';
import { ownStack } from '../../support/own-stack.ts';

const stack = ownStack();

test('with intermittent faults and a month’s end, every acknowledged request of 50 tenants is counted, recorded, sealed and billed exactly once', async () => {
  const { outcomes, requests, faults } = await soak(stack, { minutes: 1, seed: 1, say: () => undefined });
  // One minute is too short to judge whether a figure grows over time.
  const broken = outcomes.filter(({ promise, flaws }) => flaws.length > 0 && promise !== 'no figure exceeds its limit');
  expect(broken).toEqual([]);
  // A slow machine answers fewer requests, but at least a few of each tenant.
  expect(requests).toBeGreaterThan(100);
  expect(faults).toBeGreaterThan(1);
});
