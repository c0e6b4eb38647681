import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { type Month, monthSchema } from '../base/month.ts';
import type { Key } from '../keys/key.ts';
import { collection } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import type { Store } from '../store/store.ts';
import { TIER } from '../tiers.ts';

/**
 * Firestore takes about one write a second to a document for long, so a key's count is spread over more of them the slower it
 * takes a tenant's commits; that of a key which a cap stops over two, as all of them are read for each of its few operations.
 */
const SHARDS = { fewest: 8, most: 64 } as const;
const SHARDS_OF_CAPPED = 2;
/** A commit that takes this long doubles the shards of its tenant, in this process; so much time without one halves them. */
const SLOW_MS = 1_000;
const HALVED_AFTER_MS = 60_000;
/** Tenants whose shards are remembered. */
const WIDTHS_KEPT = 10_000;

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

const dayCounts = z.custom<DayCounts>(isDayCounts, 'must be counts by day');

const count = z.object({
  tenant_id: idSchema<TenantId>(),
  container_id: idSchema<ContainerId>(),
  key_id: idSchema<KeyId>(),
  month: monthSchema,
  /** The sum of `days`. */
  ops: z.int().min(0),
  days: dayCounts,
  /** Of `days`, the operations that needed another version than the primary. */
  older_days: dayCounts.default({}),
});

/** One shard of a key's operations in a month. */
export type Count = z.output<typeof count>;

/** `usage/{key id}_{month}_{shard}` */
export const USAGE = collection('usage', count);
/** The counts of a tenant's keys in a month. */
export const COUNTS_OF_TENANT: Query<Count> = { from: USAGE, equal: ['tenant_id', 'month'] };
/** The counts of a container's keys in a month. */
export const COUNTS_OF_CONTAINER: Query<Count> = { from: USAGE, equal: ['container_id', 'month'] };
/** The counts of some keys in a month. */
export const COUNTS_OF_KEYS: Query<Count> = { from: USAGE, equal: ['month'], anyOf: 'key_id' };
/** What Firestore takes of them in one query. */
const KEYS_AT_ONCE = 30;

/** The document in which a commit that was lent a shard counts a key's operations of a month. */
export function shardId({ id, tier }: Pick<Key, 'id' | 'tier'>, month: Month, shard: number): string {
  return `${id}_${month}_${TIER[tier].hardCap ? shard % SHARDS_OF_CAPPED : shard}`;
}

/** How many shards a tenant's commits choose from, and when that was last changed. */
interface Width {
  readonly shards: number;
  readonly sinceMs: number;
}

/** Lends a shard to each commit. Concurrent commits of a tenant write different documents, while there are enough shards. */
export class Shards {
  readonly #lent = new Map<TenantId, number[]>();
  readonly #widths = new LRUCache<TenantId, Width>({ max: WIDTHS_KEPT });
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Runs `commit` with a shard that few other commits of the tenant use. It is random, so processes rarely use the same one. */
  async lend<T>(tenantId: TenantId, commit: (shard: number) => Promise<T>): Promise<T> {
    const lent = this.#lent.get(tenantId) ?? [];
    const shard = this.#choose(tenantId, lent);
    lent.push(shard);
    this.#lent.set(tenantId, lent);
    const startedMs = this.#nowMs();
    try {
      return await commit(shard);
    } finally {
      lent.splice(lent.indexOf(shard), 1);
      if (lent.length === 0) this.#lent.delete(tenantId);
      if (this.#nowMs() - startedMs >= SLOW_MS) this.#widen(tenantId);
    }
  }

  #choose(tenantId: TenantId, lent: readonly number[]): number {
    const all = Array.from({ length: this.#shardsOf(tenantId) }, (_, shard) => shard);
    const unused = all.filter((shard) => !lent.includes(shard));
    // Of a capped key, too.
    const apart = unused.filter((shard) => lent.every((other) => (other - shard) % SHARDS_OF_CAPPED !== 0));
    const among = [apart, unused, all].find(({ length }) => length > 0) ?? all;
    return among[Math.floor(Math.random() * among.length)] ?? 0;
  }

  #shardsOf(tenantId: TenantId): number {
    const width = this.#widths.get(tenantId);
    if (width === undefined) return SHARDS.fewest;
    const halvings = Math.floor((this.#nowMs() - width.sinceMs) / HALVED_AFTER_MS);
    return Math.max(SHARDS.fewest, width.shards / 2 ** halvings);
  }

  #widen(tenantId: TenantId): void {
    const shards = Math.min(SHARDS.most, this.#shardsOf(tenantId) * 2);
    this.#widths.set(tenantId, { shards, sinceMs: this.#nowMs() });
  }
}

/** The operations in the month of a key that a cap stops, summed over its shards. */
export async function readCount(store: Store, key: Pick<Key, 'id' | 'tier'>, month: Month): Promise<number> {
  const shards = Array.from({ length: SHARDS_OF_CAPPED }, (_, shard) => shardId(key, month, shard));
  const counts = await Promise.all(shards.map((id) => store.find(USAGE, id)));
  return counts.reduce((sum, shard) => sum + (shard?.ops ?? 0), 0);
}

/** The counts of these keys in the month, and no others': for a few keys among many. */
export async function readCounts(store: Store, keyIds: readonly KeyId[], month: Month): Promise<Count[]> {
  const counts: Count[] = [];
  for (let start = 0; start < keyIds.length; start += KEYS_AT_ONCE) {
    const anyOf = keyIds.slice(start, start + KEYS_AT_ONCE);
    counts.push(...(await store.selectAll(COUNTS_OF_KEYS, { equal: [month], anyOf })));
  }
  return counts;
}

/** Adds the operations of more shards to sums by key. */
export function addByKey(sums: Map<KeyId, number>, counts: readonly Count[]): void {
  for (const { key_id, ops } of counts) sums.set(key_id, (sums.get(key_id) ?? 0) + ops);
}
