import { z } from 'zod';
import type { Caller } from '../auth/caller.ts';
import { byAge } from '../base/age.ts';
import type { KeyId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { isOwn } from '../keys/guards.ts';
import { KEYS, type Key } from '../keys/key.ts';
import { listKeys } from '../keys/list.ts';
import { TIER } from '../keys/tiers.ts';
import { allowance } from './allowance.ts';
import { addByKey, COUNTS_OF_CONTAINER, COUNTS_OF_TENANT, readCounts, sumByKey } from './counter.ts';
import type { Month } from './month.ts';

/** The usage line of the interface. */
export const usageAnswer = z
  .object({
    key_id: z.uuid(),
    container_id: z.uuid(),
    ops: z.int(),
    overage_ops: z.int(),
    cap: z.int(),
    allowance: z.int(),
  })
  .meta({ id: 'UsageLine' });

/** A key with its operations of a month. */
export interface KeyUsage {
  readonly key: Key;
  readonly ops: number;
}

/**
 * The caller's keys with their operations of the month, oldest first: every live key, and the destroyed ones that were used.
 * Of what was destroyed before, nothing is read.
 */
export async function readUsage(env: Env, caller: Caller, month: Month): Promise<KeyUsage[]> {
  const [live, ops] = await Promise.all([listKeys(env, caller), sumOps(env, caller, month)]);
  const known = new Set(live.map(({ id }) => id));
  const unknown = [...ops].flatMap(([id, count]) => (count > 0 && !known.has(id) ? id : []));
  const gone = await env.store.findAll(KEYS, unknown);
  const used = gone.flatMap((key) => (key?.state === 'destroyed' && isOwn(key, caller) ? key : []));
  return [...live, ...used].sort(byAge).map((key) => ({ key, ops: ops.get(key.id) ?? 0 }));
}

/** A key's usage of a month as its tenant sees it. */
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

/** Operations by key: the tenant's, an API key's container's, or its listed keys' alone. */
async function sumOps(env: Env, caller: Caller, month: Month): Promise<Map<KeyId, number>> {
  if (caller.kind === 'api_key' && caller.keyIds !== null) {
    return sumByKey(await readCounts(env.store, caller.keyIds, month));
  }
  const pages =
    caller.kind === 'session'
      ? env.store.pages(COUNTS_OF_TENANT, { equal: [caller.tenantId, month] })
      : env.store.pages(COUNTS_OF_CONTAINER, { equal: [caller.containerId, month] });
  const sums = new Map<KeyId, number>();
  for await (const counts of pages) addByKey(sums, counts);
  return sums;
}
