import { KEYS, type Key } from '../keys/key.ts';
import { creationCounters, freeClaims } from './claims.ts';
import { replaceKey } from './due.ts';
import type { DestructionServices } from './key-services.ts';
import { destroyFirstVersion, destroyVersions, type TakeWrite } from './material.ts';
import { finishRotation } from './rotate-key.ts';

/** Removes a key that was never activated, completes a rotation, or destroys a rotation's leftovers. */
export async function finishInterrupted(
  services: DestructionServices,
  key: Key,
  takeWrite: TakeWrite,
): Promise<'cleared' | 'finished'> {
  if (key.state === 'destroyed') {
    await destroyVersions(services.kms, key, takeWrite);
    await services.store.write((writes) => replaceKey(writes, { ...key, rotations: 0, unfinished_since: null }));
    return 'finished';
  }
  if (key.state !== 'creating' && key.state !== 'abandoned') {
    await finishRotation(services, key, takeWrite);
    return 'finished';
  }
  if (!(await abandon(services, key))) return 'finished';
  await destroyFirstVersion(services.kms, key, takeWrite);
  await services.store.write((writes) => writes.remove(KEYS, key.id));
  return 'cleared';
}

/** Frees the key's name and slots, so that a creation that still runs fails. Returns `false` for an active key. */
async function abandon(services: DestructionServices, key: Key): Promise<boolean> {
  const created = await creationCounters(services.store, key);
  return services.store.transact(async (tx) => {
    if ((await tx.find(KEYS, key.id))?.state !== key.state) return false;
    if (key.state === 'creating') await freeClaims(tx, key, created);
    replaceKey(tx, { ...key, state: 'abandoned' });
    return true;
  });
}
