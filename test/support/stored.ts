import type { Firestore, WriteBatch } from '@google-cloud/firestore';
import { makeInstant } from '../../shared/base/clock.ts';
import { type ContainerId, idSchema, type TenantId } from '../../shared/base/ids.ts';
import { monthSchema } from '../../shared/base/month.ts';
import { KEYS, type Key } from '../../shared/keys/key.ts';
import { USAGE } from '../../shared/metering/counter.ts';
import { type Tenant as StoredTenant, TENANTS } from '../../shared/tenancy/tenant.ts';
import { aKey, CREATED } from '../shared/keys/a-key.ts';
import { type Addresses, list } from './client.ts';
import { withStore } from './firestore.ts';
import type { Tenant } from './tenant.ts';

/** A stored key, and its operations in a month (`YYYY-MM`). */
export interface UsedKey {
  readonly key: Key;
  readonly ops: number;
}

/** A key to make: whether it is destroyed, and its operations in the month. */
export interface WantedKey {
  readonly isDestroyed: boolean;
  readonly ops: number;
}

const PER_COMMIT = 250;

/**
 * Makes records of keys in the tenant’s default container, oldest first. The keys have no CryptoKey: they cannot
 * encrypt.
 */
export async function keysOf({ id, console }: Tenant, wanted: readonly WantedKey[]): Promise<UsedKey[]> {
  const [container] = list(await console.send('GET', '/v1/containers'));
  const tenant_id = idSchema<TenantId>().parse(id);
  const container_id = idSchema<ContainerId>().parse(container?.id);
  return wanted.map(({ isDestroyed, ops }, n) => {
    const created_at = makeInstant(CREATED + n);
    const destroyed = { state: 'destroyed', destroyed_at: created_at, destroy_after: created_at } as const;
    const key = aKey({ tenant_id, container_id, name: `key ${n}`, created_at, ...(isDestroyed ? destroyed : {}) });
    return { key, ops };
  });
}

/** Writes keys directly to the store, with each key's operations in the month split between two shards. */
export async function storeKeys(stack: Addresses, used: readonly UsedKey[], period: string): Promise<void> {
  const month = monthSchema.parse(period);
  await storeEach(stack, used, (store, batch, { key, ops }) => {
    const { id: key_id, tenant_id, container_id } = key;
    const shard = { tenant_id, container_id, key_id, month, older_days: {} };
    batch.create(store.doc(`keys/${key_id}`), KEYS.encode(key));
    if (ops === 0) return;
    batch.create(
      store.doc(`usage/${key_id}_${month}_2`),
      USAGE.encode({ ...shard, ops: ops - 1, days: { '01': ops - 1 } }),
    );
    batch.create(store.doc(`usage/${key_id}_${month}_5`), USAGE.encode({ ...shard, ops: 1, days: { '28': 1 } }));
  });
}

/** Writes tenants directly to the store. */
export async function storeTenants(stack: Addresses, tenants: readonly StoredTenant[]): Promise<void> {
  await storeEach(stack, tenants, (store, batch, tenant) => {
    batch.create(store.doc(`tenants/${tenant.id}`), TENANTS.encode(tenant));
  });
}

async function storeEach<Item>(
  stack: Addresses,
  items: readonly Item[],
  add: (store: Firestore, batch: WriteBatch, item: Item) => void,
): Promise<void> {
  await withStore(stack, async (store) => {
    const commits = Array.from({ length: Math.ceil(items.length / PER_COMMIT) }, (_, n) => {
      const batch = store.batch();
      for (const item of items.slice(n * PER_COMMIT, (n + 1) * PER_COMMIT)) add(store, batch, item);
      return batch.commit();
    });
    await Promise.all(commits);
  });
}
