import { z } from 'zod';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { type Month, monthSchema } from '../base/month.ts';
import type { Key } from '../keys/key.ts';
import { collection } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import type { Reader, Store } from '../store/store.ts';
import { TIER } from '../tiers.ts';

/** Firestore allows about one write a second per document, so a key's count is stored in several documents. */
export const SHARDS = 8;
/** A key with a hard cap has fewer, because each of its operations reads all of them. */
const SHARDS_OF_CAPPED = 2;

export const DAYS: readonly string[] = Array.from({ length: 31 }, (_, day) => String(day + 1).padStart(2, '0'));

/** The number of operations by day of the month. Days without operations are absent. */
export type DayCounts = Readonly<Record<string, number>>;

const KNOWN_DAYS = new Set(DAYS);

/** Whether a value has valid day counts. Uses no zod, for speed: a report reads tens of thousands of day counts. */
function isDayCounts(value: unknown): value is DayCounts {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([day, ops]) => KNOWN_DAYS.has(day) && Number.isSafeInteger(ops) && ops >= 0)
  );
}

const dayCounts = z.custom<DayCounts>(isDayCounts, 'must be counts by day');

const count = z.object({
  tenant_id: idSchema<TenantId>(),
  container_id: idSchema<ContainerId>(),
  key_id: idSchema<KeyId>(),
  month: monthSchema,
  /** The sum of `days`. */
  ops: z.int().min(0),
  days: dayCounts,
  /** The operations in `days` that needed a version other than the primary. */
  older_days: dayCounts.default({}),
});

/** One shard of a key's count of operations in a month. */
export type Count = z.output<typeof count>;

/** `usage/{key id}_{month}_{shard}` */
export const USAGE = collection('usage', count);
export const COUNTS_OF_TENANT: Query<Count> = { from: USAGE, equal: ['tenant_id', 'month'] };
export const COUNTS_OF_CONTAINER: Query<Count> = { from: USAGE, equal: ['container_id', 'month'] };
export const COUNTS_OF_KEYS: Query<Count> = { from: USAGE, equal: ['month'], anyOf: 'key_id' };
/** A stored count has about 300 bytes. */
export const COUNTS_PER_PAGE = 500;
/** Firestore's limit per query. */
const KEYS_AT_ONCE = 30;

/** The document id of a shard, of which there are {@link SHARDS}. */
export function shardId({ id, tier }: Pick<Key, 'id' | 'tier'>, month: Month, shard: number): string {
  return `${id}_${month}_${TIER[tier].hardCap ? shard % SHARDS_OF_CAPPED : shard}`;
}

/** Returns how many operations a key with a hard cap had in the month. */
export async function readCount(reads: Reader, key: Pick<Key, 'id' | 'tier'>, month: Month): Promise<number> {
  const shards = Array.from({ length: SHARDS_OF_CAPPED }, (_, shard) => shardId(key, month, shard));
  const counts = await Promise.all(shards.map((id) => reads.find(USAGE, id)));
  return counts.reduce((sum, shard) => sum + (shard?.ops ?? 0), 0);
}

/** Returns the counts of these keys, and reads no other counts. */
export async function readCounts(store: Store, keyIds: readonly KeyId[], month: Month): Promise<Count[]> {
  const counts: Count[] = [];
  for (let start = 0; start < keyIds.length; start += KEYS_AT_ONCE) {
    const anyOf = keyIds.slice(start, start + KEYS_AT_ONCE);
    counts.push(...(await store.selectAll(COUNTS_OF_KEYS, { equal: [month], anyOf })));
  }
  return counts;
}

export function addByKey(sums: Map<KeyId, number>, counts: readonly Count[]): void {
  for (const { key_id, ops } of counts) sums.set(key_id, (sums.get(key_id) ?? 0) + ops);
}
