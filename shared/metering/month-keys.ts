import { byAge, MINUTE_US, makeInstant } from '../base/clock.ts';
import type { KeyId, TenantId } from '../base/ids.ts';
import { type Month, monthOf, monthStart } from '../base/month.ts';
import { KEYS_BY_CREATION, KEYS_DESTROYED, type Key } from '../keys/key.ts';
import type { Store } from '../store/store.ts';
import { TIERS } from '../tiers.ts';
import { addByKey, type Count } from './counter.ts';

/** The fields of a key that a report needs. Reports keep thousands of keys in memory, so they drop the other fields. */
export type ReportedKey = Pick<
  Key,
  'id' | 'container_id' | 'name' | 'tier' | 'state' | 'created_at' | 'deletions' | 'destroyed_at'
>;

export interface KeyUsage {
  readonly key: ReportedKey;
  readonly ops: number;
}

const KEYS_PER_PAGE = 500;

/** An operation of the month may have begun before its key was destroyed, by the clock of another process. */
const CLOCKS_DIFFER_US = MINUTE_US;

/** Yields these live keys, and the tenant's keys that were destroyed in the month or later if `includes` says so, oldest first. */
export async function* keysOfMonth(
  store: Store,
  tenantId: TenantId,
  month: Month,
  live: readonly Key[],
  includes: (destroyed: Key) => boolean,
): AsyncGenerator<ReportedKey> {
  const begins = monthStart(month);
  // At most 10,000 keys are alive at once, so at most as many were alive when the month began.
  const older = new Map(live.map((key) => [key.id, reported(key)]));
  const since = makeInstant(Math.max(0, begins - CLOCKS_DIFFER_US));
  for await (const page of store.pages(KEYS_DESTROYED, { equal: [tenantId], anyOf: TIERS, since })) {
    for (const key of page) if (key.created_at < begins && includes(key)) older.set(key.id, reported(key));
  }
  const waiting = [...older.values()].sort(byAge).values();
  let next = waiting.next();
  // The number of keys created in the month has no such limit, so they are not collected.
  for await (const key of destroyedKeysCreatedIn(store, tenantId, month)) {
    // A live key that was destroyed after it was read is already among the older keys.
    if (!includes(key) || older.has(key.id)) continue;
    for (; !next.done && byAge(next.value, key) < 0; next = waiting.next()) yield next.value;
    yield reported(key);
  }
  for (; !next.done; next = waiting.next()) yield next.value;
}

async function* destroyedKeysCreatedIn(store: Store, tenantId: TenantId, month: Month): AsyncGenerator<Key> {
  const wanted = { equal: [tenantId, 'destroyed'], since: monthStart(month) };
  for await (const page of store.pages(KEYS_BY_CREATION, wanted)) {
    for (const key of page) {
      if (monthOf(key.created_at) > month) return;
      yield key;
    }
  }
}

/** Adds their operations to keys. Yields pages of them. */
export async function* withOps(
  keys: Iterable<ReportedKey> | AsyncIterable<ReportedKey>,
  ops: ReadonlyMap<KeyId, number>,
): AsyncGenerator<KeyUsage[]> {
  let page: KeyUsage[] = [];
  for await (const key of keys) {
    page.push({ key, ops: ops.get(key.id) ?? 0 });
    if (page.length < KEYS_PER_PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** Returns the operations of each key. A key needs about 100 bytes. */
export async function sumOps(counts: AsyncIterable<readonly Count[]>): Promise<Map<KeyId, number>> {
  const sums = new Map<KeyId, number>();
  for await (const page of counts) addByKey(sums, page);
  return sums;
}

function reported({ id, container_id, name, tier, state, created_at, deletions, destroyed_at }: Key): ReportedKey {
  return { id, container_id, name, tier, state, created_at, deletions, destroyed_at };
}
