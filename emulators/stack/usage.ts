import { Firestore } from '@google-cloud/firestore';
import { z } from 'zod';
import { projectId } from './service-environment.ts';

const storedKey = z.object({ tenant_id: z.string(), container_id: z.string() });

/** A key's count for one month, `period` being YYYY-MM. */
export type UsageCount = { readonly key_id: string; readonly period: string; readonly ops: number };

/** Writes counts straight into the store. */
export type UsageWriter = {
  /** Replaces all that was counted in the month. False when there is no such key. */
  readonly set: (count: UsageCount) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

/** Connects to the emulator at host:port. */
export function openUsageWriter(emulator: string): UsageWriter {
  const store = new Firestore({
    projectId,
    host: emulator,
    ssl: false,
    // The emulator's word for a server that no rule binds.
    customHeaders: { Authorization: 'Bearer owner' },
  });
  return {
    set: async ({ key_id, period, ops }) => {
      const key = storedKey.safeParse((await store.doc(`keys/${key_id}`).get()).data());
      if (!key.success) return false;
      const usage = store.collection('usage');
      const shards = await usage.where('key_id', '==', key_id).where('month', '==', period).get();
      const batch = store.batch();
      for (const shard of shards.docs) batch.delete(shard.ref);
      const { tenant_id, container_id } = key.data;
      batch.set(usage.doc(`${key_id}_${period}_0`), { tenant_id, container_id, key_id, month: period, ops });
      await batch.commit();
      return true;
    },
    close: () => store.terminate(),
  };
}
