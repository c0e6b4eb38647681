import { readCases } from './cases.ts';
import type { GoodRequest } from './send-good.ts';
import type { Tenant, Tier } from './tenant.ts';

/**
 * Makes the valid request of every case file. Each request that changes or deletes an object gets a new object. Keys have
 * the given tier.
 */
export async function goodRequests(
  tenant: Tenant,
  tier: Tier = 'wrapped',
): Promise<Readonly<Record<string, GoodRequest>>> {
  const cases = await readCases();
  const made = cases.map(async ({ call, request }) => [call, await request(tenant, tier)] as const);
  return Object.fromEntries(await Promise.all(made));
}
