import type { KeyId } from '../base/ids.ts';
import { notFound } from '../errors.ts';
import type { Transaction } from '../store/writes.ts';
import { isLive, KEYS, type Key } from './key.ts';

/** The key as it is now, to be decided on. Throws `not_found` when it was destroyed since the request found it. */
export async function loadFresh(tx: Transaction, id: KeyId): Promise<Key> {
  const key = await tx.find(KEYS, id);
  if (key === undefined || !isLive(key)) throw notFound();
  return key;
}
