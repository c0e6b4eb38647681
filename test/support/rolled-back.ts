import type { DocumentData, Firestore, Query } from '@google-cloud/firestore';

/** A tenant's log and events, as stored at one point in time. */
export type StoredLog = ReadonlyMap<string, DocumentData>;

/** Reads a tenant's log, so that {@link rollBack} can store it again. */
export async function storedLogOf(store: Firestore, tenantId: string): Promise<StoredLog> {
  const own = ['audit', 'seals', 'restorations'].map(
    (name): Query => store.collection(name).where('tenant_id', '==', tenantId),
  );
  const found = await Promise.all(own.map(async (query) => (await query.get()).docs));
  const single = await store.getAll(store.doc(`sealHeads/${tenantId}`), store.doc(`sealedRows/${tenantId}_0`));
  return new Map(
    [...found.flat(), ...single].flatMap((doc) => {
      const data = doc.data();
      return data === undefined ? [] : [[doc.ref.path, data] as const];
    }),
  );
}

/** Stores an earlier state of a tenant's log, like a restore of the database. */
export async function rollBack(store: Firestore, tenantId: string, before: StoredLog): Promise<void> {
  const batch = store.batch();
  for (const path of (await storedLogOf(store, tenantId)).keys()) if (!before.has(path)) batch.delete(store.doc(path));
  for (const [path, data] of before) batch.set(store.doc(path), data);
  await batch.commit();
}
