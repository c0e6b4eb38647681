import { z } from 'zod';
import { makeFirestoreClient } from '../firestore/server.ts';

const storedKey = z.object({ tenant_id: z.string(), container_id: z.string() });

/** The number of operations (`ops`) with a key in a month. */
export const usageCount = z.strictObject({
  key_id: z.guid().toLowerCase(),
  period: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be YYYY-MM'),
  ops: z.int().min(0),
});

export type UsageWriter = {
  /**
   * Replaces the stored number of operations. Returns false if the key does not exist. If the number grows, today gets
   * the new operations, or, in another month, the day nearest to today. If it shrinks, operations are removed from the
   * latest days first.
   */
  readonly set: (count: z.output<typeof usageCount>) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

const storedDays = z.record(z.string(), z.number());
const storedCount = z.object({ days: storedDays, older_days: storedDays.default({}) });

/**
 * Opens a writer. `emulator` is the Firestore emulator's address, as `host:port`. `now` returns milliseconds since the
 * epoch.
 */
export function openUsageWriter(emulator: string, now: () => number): UsageWriter {
  const store = makeFirestoreClient(emulator);
  return {
    set: async ({ key_id, period, ops }) => {
      const key = storedKey.safeParse((await store.doc(`keys/${key_id}`).get()).data());
      if (!key.success) return false;
      const usage = store.collection('usage');
      const shards = await usage.where('key_id', '==', key_id).where('month', '==', period).get();
      const counts = shards.docs.map((shard) => storedCount.parse(shard.data()));
      const days = sum(counts.map((count) => count.days));
      adjustTo(days, ops, dayToFill(period, now()));
      const older = sum(counts.map((count) => count.older_days));
      // A day's count includes its operations with older versions of the key, so their number cannot exceed the count.
      for (const [day, count] of older) older.set(day, Math.min(count, days.get(day) ?? 0));
      const batch = store.batch();
      for (const shard of shards.docs) batch.delete(shard.ref);
      const { tenant_id, container_id } = key.data;
      batch.set(usage.doc(`${key_id}_${period}_0`), {
        tenant_id,
        container_id,
        key_id,
        month: period,
        ops,
        days: Object.fromEntries(days),
        older_days: Object.fromEntries(older),
        schema_version: 1,
      });
      await batch.commit();
      return true;
    },
    close: () => store.terminate(),
  };
}

function sum(counts: readonly Readonly<Record<string, number>>[]): Map<string, number> {
  const days = new Map<string, number>();
  for (const count of counts) for (const [day, ops] of Object.entries(count)) add(days, day, ops);
  return days;
}

function add(days: Map<string, number>, day: string, count: number): void {
  days.set(day, (days.get(day) ?? 0) + count);
}

/** Changes the counts of the days so that their sum is `ops`. */
function adjustTo(days: Map<string, number>, ops: number, dayToFill: string): void {
  let excess = [...days.values()].reduce((sum, count) => sum + count, 0) - ops;
  if (excess < 0) add(days, dayToFill, -excess);
  for (const [day, count] of [...days].sort().reverse()) {
    if (excess <= 0) return;
    const taken = Math.min(excess, count);
    excess -= taken;
    if (taken === count) days.delete(day);
    else days.set(day, count - taken);
  }
}

/** Returns the day, as two digits, to which new operations are added. */
function dayToFill(period: string, nowMs: number): string {
  const today = new Date(nowMs).toISOString();
  const month = today.slice(0, 7);
  if (period === month) return today.slice(8, 10);
  if (period > month) return '01';
  const [year = 0, index = 0] = period.split('-').map(Number);
  return String(new Date(Date.UTC(year, index, 0)).getUTCDate());
}
