import { expect, test } from 'vitest';
import { soak } from '../../reliability/soak.ts';
import { ownStack } from '../../support/own-stack.ts';

const stack = ownStack();

test('with intermittent faults and a month’s end, every acknowledged request of 50 tenants is counted, recorded, sealed and billed exactly once', async () => {
  // One minute is too short to judge whether a figure grows over time.
  const { flaws, requests, faults, decrypted } = await soak(stack, 1, () => undefined);
  expect(flaws).toEqual([]);
  // A slow machine answers fewer requests, but at least a few of each tenant.
  expect(requests).toBeGreaterThan(100);
  expect(faults).toBeGreaterThan(1);
  expect(decrypted).toBeGreaterThan(10);
});
