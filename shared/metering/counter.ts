import { z } from 'zod';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import type { Key } from '../keys/key.ts';
import { collection } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import type { Store } from '../store/store.ts';
import { type Month, monthSchema } from './month.ts';

/** Firestore takes about one write a second to a document for long, so a key's count is spread over this many. */
const SHARDS = 8;

const count = z.object({
  tenant_id: idSchema<TenantId>(),
  container_id: idSchema<ContainerId>(),
  key_id: idSchema<KeyId>(),
  month: monthSchema,
  ops: z.int().min(0),
});

/** One shard of a key's operations in a month. */
export type Count = z.output<typeof count>;

/** `usage/{key id}_{month}_{shard}` */
export const USAGE = collection('usage', count);
/** The counts of a tenant's keys in a month. */
export const COUNTS_OF_TENANT: Query<Count> = { from: USAGE, equal: ['tenant_id', 'month'] };
/** The counts of a container's keys in a month. */
export const COUNTS_OF_CONTAINER: Query<Count> = { from: USAGE, equal: ['container_id', 'month'] };

/** This process keeps to one shard of every key, so that its increments meet only those of few other processes. */
const OWN_SHARD = Math.floor(Math.random() * SHARDS);

/** The document that this process counts a key's operations of a month in. */
export function ownShard(keyId: KeyId, month: Month): string {
  return `${keyId}_${month}_${OWN_SHARD}`;
}

/** The key's operations in the month, summed over the shards. */
export async function readCount(store: Store, key: Key, month: Month): Promise<number> {
  const shards = shardsOf(key.id, month).map((shard) => store.find(USAGE, shard));
  return (await Promise.all(shards)).reduce((sum, shard) => sum + (shard?.ops ?? 0), 0);
}

/** The counts of these keys in the month, and no others': for a few keys among many. */
export async function readCounts(store: Store, keyIds: readonly KeyId[], month: Month): Promise<Count[]> {
  const shards = keyIds.flatMap((keyId) => shardsOf(keyId, month));
  return (await store.findAll(USAGE, shards)).flatMap((shard) => shard ?? []);
}

/** Operations by key, summed over the shards. */
export function sumByKey(counts: readonly Count[]): Map<KeyId, number> {
  const sums = new Map<KeyId, number>();
  addByKey(sums, counts);
  return sums;
}

/** Adds the operations of more shards to sums by key. */
export function addByKey(sums: Map<KeyId, number>, counts: readonly Count[]): void {
  for (const { key_id, ops } of counts) sums.set(key_id, (sums.get(key_id) ?? 0) + ops);
}

/** The documents that hold a key's count of a month. */
function shardsOf(keyId: KeyId, month: Month): string[] {
  return Array.from({ length: SHARDS }, (_, shard) => `${keyId}_${month}_${shard}`);
}
