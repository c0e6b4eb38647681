import { beforeAll } from 'vitest';
import type { Addresses, Answer } from './client.ts';
import { type Metered, operate } from './operations.ts';
import { ALL_TIERS, makeTenant, type Tenant, type Tier } from './tenant.ts';

/** A tenant with a key of each tier. */
interface KeysOfAllTiers {
  readonly tenant: Tenant;
  /** Returns the id of the tenant's key of a tier. */
  keyOf(tier: Tier): string;
  /** Calls a metered operation on the tenant's key of a tier. */
  call(tier: Tier, operation: Metered, body: unknown): Promise<Answer>;
}

/** Makes the tenant and its keys before the tests of the calling file. */
export function keysOfAllTiers(stack: Addresses): KeysOfAllTiers {
  const keys = new Map<Tier, string>();
  let made: Tenant | undefined;
  beforeAll(async () => {
    made = await makeTenant(stack);
    for (const tier of ALL_TIERS) keys.set(tier, await made.createKey(tier));
  });
  const required = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the tenant has not been made yet');
    return value;
  };
  const keyOf = (tier: Tier) => required(keys.get(tier));
  return {
    get tenant() {
      return required(made);
    },
    keyOf,
    call: async (tier, operation, body) => operate(required(made).api, keyOf(tier), operation, body),
  };
}
