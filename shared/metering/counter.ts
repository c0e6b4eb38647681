import { z } from 'zod';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { type Month, monthSchema } from '../base/month.ts';
import type { Key } from '../keys/key.ts';
import { collection } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import type { Store } from '../store/store.ts';
import { TIER, type Tier } from '../tiers.ts';

/**
 * Firestore takes about one write a second to a document for long, so a key's count is spread over so many; that of a key
 * which a cap stops over two, as all of them are read for each of its few operations.
 */
const SHARDS = 8;
const SHARDS_OF_CAPPED = 2;
const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard);

/** The days of a month as a count names them, `01` to `31`. */
export const DAYS: readonly string[] = Array.from({ length: 31 }, (_, day) => String(day + 1).padStart(2, '0'));

/** Operations by day of the month; days without any are absent. */
export type DayCounts = Readonly<Record<string, number>>;

const KNOWN_DAYS = new Set(DAYS);

/** Checked by hand: a report reads tens of thousands of these, of 31 days each. */
function isDayCounts(value: unknown): value is DayCounts {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([day, ops]) => KNOWN_DAYS.has(day) && Number.isSafeInteger(ops) && ops >= 0)
  );
}

const count = z.object({
  tenant_id: idSchema<TenantId>(),
  container_id: idSchema<ContainerId>(),
  key_id: idSchema<KeyId>(),
  month: monthSchema,
  /** The sum of `days`. */
  ops: z.int().min(0),
  days: z.custom<DayCounts>(isDayCounts, 'not counts by day'),
});

/** One shard of a key's operations in a month. */
export type Count = z.output<typeof count>;

/** `usage/{key id}_{month}_{shard}` */
export const USAGE = collection('usage', count);
/** The counts of a tenant's keys in a month. */
export const COUNTS_OF_TENANT: Query<Count> = { from: USAGE, equal: ['tenant_id', 'month'] };
/** The counts of a container's keys in a month. */
export const COUNTS_OF_CONTAINER: Query<Count> = { from: USAGE, equal: ['container_id', 'month'] };

/** The document in which a commit that was lent a shard counts a key's operations of a month. */
export function shardId({ id, tier }: Pick<Key, 'id' | 'tier'>, month: Month, shard: number): string {
  return `${id}_${month}_${shard % shardsOf(tier)}`;
}

function shardsOf(tier: Tier): number {
  return TIER[tier].hardCap ? SHARDS_OF_CAPPED : SHARDS;
}

/** Lends a shard to each commit, so that no two commits of a tenant that are under way write the same document. */
export class Shards {
  /** Modulo `SHARDS_OF_CAPPED`, so that they differ for every key. */
  readonly #lent = new Map<TenantId, Set<number>>();

  /** What `commit` gives, told a shard that no other commit of the tenant has meanwhile; chosen at random, so that those of other processes meet seldom. */
  async lend<T>(tenantId: TenantId, commit: (shard: number) => Promise<T>): Promise<T> {
    const lent = this.#lent.get(tenantId) ?? new Set();
    const free = ALL_SHARDS.filter((shard) => !lent.has(shard % SHARDS_OF_CAPPED));
    const shard = free[Math.floor(Math.random() * free.length)];
    if (shard === undefined) throw new Error('more commits of a tenant are under way than there are shards');
    this.#lent.set(tenantId, lent.add(shard % SHARDS_OF_CAPPED));
    try {
      return await commit(shard);
    } finally {
      lent.delete(shard % SHARDS_OF_CAPPED);
      if (lent.size === 0) this.#lent.delete(tenantId);
    }
  }
}

/** The key's operations in the month, summed over the shards that it has. */
export async function readCount(store: Store, key: Pick<Key, 'id' | 'tier'>, month: Month): Promise<number> {
  const shards = ALL_SHARDS.slice(0, shardsOf(key.tier)).map((shard) => store.find(USAGE, shardId(key, month, shard)));
  return (await Promise.all(shards)).reduce((sum, shard) => sum + (shard?.ops ?? 0), 0);
}

/** The counts of these keys in the month, and no others': for a few keys among many. */
export async function readCounts(store: Store, keyIds: readonly KeyId[], month: Month): Promise<Count[]> {
  const shards = keyIds.flatMap((id) => ALL_SHARDS.map((shard) => `${id}_${month}_${shard}`));
  return (await store.findAll(USAGE, shards)).flatMap((shard) => shard ?? []);
}

/** Adds the operations of more shards to sums by key. */
export function addByKey(sums: Map<KeyId, number>, counts: readonly Count[]): void {
  for (const { key_id, ops } of counts) sums.set(key_id, (sums.get(key_id) ?? 0) + ops);
}
