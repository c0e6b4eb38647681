import type { KeyId } from '../base/ids.ts';
import { notFound } from '../errors.ts';
import { isLive, KEYS, type Key } from '../keys/key.ts';
import type { Transaction } from '../store/transaction.ts';

/** Throws `not_found` when the key was destroyed meanwhile. */
export async function loadFresh(tx: Transaction, id: KeyId): Promise<Key> {
  const key = await tx.find(KEYS, id);
  if (key === undefined || !isLive(key)) throw notFound();
  return key;
}
