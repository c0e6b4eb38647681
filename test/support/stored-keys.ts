import type { Firestore } from '@google-cloud/firestore';
import { makeInstant } from '../../shared/base/clock.ts';
import { type ContainerId, idSchema, type TenantId } from '../../shared/base/ids.ts';
import { KEYS, type Key } from '../../shared/keys/key.ts';
import { type Count, USAGE } from '../../shared/metering/counter.ts';
import type { Month } from '../../shared/metering/month.ts';
import type { Collection } from '../../shared/store/collection.ts';
import { aKey, CREATED } from '../shared/keys/a-key.ts';
import { list } from './client.ts';
import type { Tenant } from './tenant.ts';

const PER_COMMIT = 500;

/** A key as it is put into the store: whether it was destroyed, and its operations of the month, where it has any. */
export interface StoredKey {
  readonly isDestroyed: boolean;
  readonly ops: number;
}

/**
 * Puts keys into a tenant's default container past the service, in the order of their creation, each with its count of the
 * month in two shards. Returns them as stored. Nothing but reading works on them.
 */
export async function storeKeys(
  db: Firestore,
  { id, console }: Tenant,
  month: Month,
  wanted: readonly StoredKey[],
): Promise<Key[]> {
  const [container] = list(await console.send('GET', '/v1/containers'));
  const tenant_id = idSchema<TenantId>().parse(id);
  const container_id = idSchema<ContainerId>().parse(container?.id);
  const stored = wanted.map(({ isDestroyed, ops }, n) => {
    const created_at = makeInstant(CREATED + n);
    const destroyed = { state: 'destroyed', destroyed_at: created_at, destroy_after: created_at } as const;
    const key = aKey({ tenant_id, container_id, name: `key ${n}`, created_at, ...(isDestroyed ? destroyed : {}) });
    return { key, ops };
  });
  await writeAll(db, KEYS, new Map(stored.map(({ key }) => [key.id, key])));
  await writeAll(db, USAGE, new Map(stored.flatMap(({ key, ops }) => (ops > 0 ? shardsOf(key, month, ops) : []))));
  return stored.map(({ key }) => key);
}

function shardsOf({ id, tenant_id, container_id }: Key, month: Month, ops: number): [string, Count][] {
  const shard = { tenant_id, container_id, key_id: id, month };
  return [
    [`${id}_${month}_2`, { ...shard, ops: ops - 1 }],
    [`${id}_${month}_5`, { ...shard, ops: 1 }],
  ];
}

async function writeAll<Doc>(db: Firestore, into: Collection<Doc>, docs: ReadonlyMap<string, Doc>): Promise<void> {
  const all = [...docs];
  for (let start = 0; start < all.length; start += PER_COMMIT) {
    const batch = db.batch();
    for (const [id, doc] of all.slice(start, start + PER_COMMIT)) {
      batch.set(db.collection(into.name).doc(id), into.encode(doc));
    }
    await batch.commit();
  }
}
