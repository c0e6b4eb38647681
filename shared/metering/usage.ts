import { z } from 'zod';
import type { KeyId } from '../base/ids.ts';
import type { Month } from '../base/month.ts';
import { isOwn } from '../keys/guards.ts';
import { isLive, type Key } from '../keys/key.ts';
import { listKeys } from '../keys/list.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from '../tenancy/caller.ts';
import { TIER } from '../tiers.ts';
import { allowance } from './allowance.ts';
import { COUNTS_OF_CONTAINER, COUNTS_OF_TENANT, COUNTS_PER_PAGE, type Count, readCounts } from './counter.ts';
import { ageOf, type KeyUsage, oldestFirst, readAges, sumOps, usedBesides } from './month-keys.ts';

export const usageAnswer = z
  .object({
    key_id: z.uuid().describe('The ID of the key.'),
    container_id: z.uuid().describe('The container of the key.'),
    ops: z.int().describe('Metered operations in the month.'),
    overage_ops: z.int().describe('Operations beyond the allowance. They are billed for paid keys.'),
    cap: z.int().describe("The operations that the key's tier includes in a full month."),
    allowance: z
      .int()
      .describe(
        'Operations included in the month. May be less than `cap` if the key exists for only part of the month.',
      ),
  })
  .meta({ id: 'UsageLine' });

/** Yields the caller's live keys, and destroyed keys that were used in the month, with their operations, oldest first. */
export async function* readUsage(store: Store, caller: Caller, month: Month): AsyncGenerator<KeyUsage[]> {
  const live = (await listKeys(store, caller)).map(ageOf);
  const ops = await sumOps(countsSeenBy(store, caller, month));
  const isSeen = (key: Key) => key.state === 'destroyed' && isOwn(key, caller);
  const ages = [...live, ...(await readAges(store, usedBesides(live, ops), isSeen))];
  for await (const page of oldestFirst(store, ages, ops)) {
    yield page.filter((usage) => isLive(usage.key) || usage.ops > 0);
  }
}

export function viewUsage({ key, ops }: KeyUsage, month: Month): z.input<typeof usageAnswer> {
  const included = allowance(key.tier, key, month);
  return {
    key_id: key.id,
    container_id: key.container_id,
    ops,
    overage_ops: Math.max(0, ops - included),
    cap: TIER[key.tier].monthlyOps,
    allowance: included,
  };
}

/** Yields the counts of the keys that the caller can reach, in pages, sorted by key id. */
export async function* countsSeenBy(
  store: Store,
  caller: Caller,
  month: Month,
  keyId?: KeyId,
): AsyncGenerator<Count[]> {
  const listed = caller.kind === 'api_key' ? caller.keyIds : null;
  if (keyId !== undefined || listed !== null) {
    const wanted =
      keyId === undefined ? (listed ?? []).toSorted() : [keyId].filter((id) => listed?.includes(id) ?? true);
    yield (await readCounts(store, wanted, month)).filter((count) => isOwn(count, caller));
  } else if (caller.kind === 'session') {
    yield* store.pages(COUNTS_OF_TENANT, { equal: [caller.tenantId, month] }, COUNTS_PER_PAGE);
  } else {
    yield* store.pages(COUNTS_OF_CONTAINER, { equal: [caller.containerId, month] }, COUNTS_PER_PAGE);
  }
}
