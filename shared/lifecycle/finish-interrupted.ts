import { KEYS, type Key } from '../keys/key.ts';
import { interruptedBefore, replaceKey } from './attention.ts';
import { freeClaims } from './claims.ts';
import { destroyFirstVersion, destroyVersions, type TakeWrite } from './material.ts';
import type { DestructionNeeds } from './needs.ts';
import { finishRotation } from './rotate-key.ts';

/**
 * Removes a key that was never activated, completes a rotation, or destroys what a rotation left of a destroyed key.
 */
export async function finishInterrupted(
  needs: DestructionNeeds,
  key: Key,
  takeWrite: TakeWrite,
): Promise<'cleared' | 'finished'> {
  if (key.state === 'destroyed') {
    await destroyVersions(needs.kms, key, takeWrite);
    await needs.store.write((writes) => replaceKey(writes, { ...key, rotations: 0, unfinished_since: null }));
    return 'finished';
  }
  if (key.state !== 'creating' && key.state !== 'abandoned') {
    await finishRotation(needs, key, interruptedBefore(needs.clock.now()), takeWrite);
    return 'finished';
  }
  if (!(await abandon(needs, key))) return 'finished';
  await destroyFirstVersion(needs.kms, key, takeWrite);
  await needs.store.write((writes) => writes.remove(KEYS, key.id));
  return 'cleared';
}

/**
 * Frees the claims before anything is destroyed, so that a creation still running fails. Returns `false` when the key
 * was activated.
 */
function abandon(needs: DestructionNeeds, key: Key): Promise<boolean> {
  return needs.store.transact(async (tx) => {
    if ((await tx.find(KEYS, key.id))?.state !== key.state) return false;
    if (key.state === 'creating') await freeClaims(tx, key);
    replaceKey(tx, { ...key, state: 'abandoned' });
    return true;
  });
}
