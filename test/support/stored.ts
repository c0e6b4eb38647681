import { Firestore, type WriteBatch } from '@google-cloud/firestore';
import { portsOf } from '../../emulators/stack/ports.ts';
import { projectId } from '../../emulators/stack/service-environment.ts';
import { KEYS, type Key } from '../../shared/keys/key.ts';
import { USAGE } from '../../shared/metering/counter.ts';
import { monthSchema } from '../../shared/metering/month.ts';
import { TENANTS, type Tenant } from '../../shared/tenancy/tenant.ts';
import type { Addresses } from './client.ts';

/** A key as stored, with its operations of a month (`YYYY-MM`). */
export interface UsedKey {
  readonly key: Key;
  readonly ops: number;
}

const PER_COMMIT = 250;

/** Does `work` with a client of the stack's store that no rule binds. */
export async function withStore<T>(stack: Addresses, work: (store: Firestore) => Promise<T>): Promise<T> {
  const host = `127.0.0.1:${portsOf(stack).firestore}`;
  const store = new Firestore({ projectId, host, ssl: false, customHeaders: { Authorization: 'Bearer owner' } });
  try {
    return await work(store);
  } finally {
    await store.terminate();
  }
}

/** Writes keys and their counts straight into the store, as if they had been made and used: thousands in a second or two. */
export async function storeKeys(stack: Addresses, used: readonly UsedKey[], period: string): Promise<void> {
  const month = monthSchema.parse(period);
  await storeEach(stack, used, (store, batch, { key, ops }) => {
    const { id: key_id, tenant_id, container_id } = key;
    const count = { tenant_id, container_id, key_id, month, ops };
    batch.create(store.doc(`keys/${key_id}`), KEYS.encode(key));
    batch.create(store.doc(`usage/${key_id}_${month}_0`), USAGE.encode(count));
  });
}

/** Writes tenants straight into the store. */
export async function storeTenants(stack: Addresses, tenants: readonly Tenant[]): Promise<void> {
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
