import { byAge } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import { KEYS, type Key } from '../keys/key.ts';
import type { Store } from '../store/store.ts';
import { addByKey, type Count } from './counter.ts';

/** The age of a key. A report keeps about 100 bytes for each key, and reads the key when its line is due. */
export type KeyAge = Pick<Key, 'id' | 'created_at'>;

export interface KeyUsage {
  readonly key: Pick<Key, 'id' | 'container_id' | 'name' | 'tier' | 'created_at' | 'deletions'>;
  readonly ops: number;
}

const KEYS_PER_PAGE = 300;

export function ageOf({ id, created_at }: Key): KeyAge {
  return { id, created_at };
}

/** Reads keys, and returns the ages of those for which `includes` returns true. */
export async function readAges(
  store: Store,
  ids: readonly KeyId[],
  includes: (key: Key) => boolean,
): Promise<KeyAge[]> {
  const ages: KeyAge[] = [];
  for (let start = 0; start < ids.length; start += KEYS_PER_PAGE) {
    const keys = await store.findAll(KEYS, ids.slice(start, start + KEYS_PER_PAGE));
    for (const key of keys) if (key !== undefined && includes(key)) ages.push(ageOf(key));
  }
  return ages;
}

/** Yields the keys with their operations, oldest first. */
export async function* oldestFirst(
  store: Store,
  ages: readonly KeyAge[],
  ops: ReadonlyMap<KeyId, number>,
): AsyncGenerator<{ readonly key: Key; readonly ops: number }[]> {
  const sorted = ages.toSorted(byAge);
  for (let start = 0; start < sorted.length; start += KEYS_PER_PAGE) {
    const ids = sorted.slice(start, start + KEYS_PER_PAGE).map(({ id }) => id);
    const keys = (await store.findAll(KEYS, ids)).flatMap((key) => key ?? []);
    yield keys.map((key) => ({ key, ops: ops.get(key.id) ?? 0 }));
  }
}

/** Returns the operations of each key, about 100 bytes for each. */
export async function sumOps(counts: AsyncIterable<readonly Count[]>): Promise<Map<KeyId, number>> {
  const sums = new Map<KeyId, number>();
  for await (const page of counts) addByKey(sums, page);
  return sums;
}

/** Returns the keys with operations that are not among these. */
export function usedBesides(ages: readonly KeyAge[], ops: ReadonlyMap<KeyId, number>): KeyId[] {
  const known = new Set(ages.map(({ id }) => id));
  return [...ops].flatMap(([id, count]) => (count > 0 && !known.has(id) ? id : []));
}
