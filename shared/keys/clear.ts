import type { Env } from '../env.ts';
import { cutOffBefore, replaceKey } from './attention.ts';
import { giveBack } from './claims.ts';
import { KEYS, type Key } from './key.ts';
import { destroyFirstVersion, destroyVersions, type Spend } from './material.ts';
import { finishRotation } from './rotate.ts';

/**
 * Finishes or clears what was cut off: of a key that never came to be nothing remains, and its name is free; a rotation
 * is finished; of one that a destruction overtook no version remains.
 */
export async function finishCutOff(env: Env, key: Key, spend: Spend): Promise<'cleared' | 'finished'> {
  if (key.state === 'destroyed') {
    await destroyVersions(env, key, spend);
    await env.store.write((writes) => replaceKey(writes, { ...key, rotations: 0, unfinished_since: null }));
    return 'finished';
  }
  if (key.state !== 'creating' && key.state !== 'abandoned') {
    await finishRotation(env, key, cutOffBefore(env.clock.now()), spend);
    return 'finished';
  }
  if (!(await abandon(env, key))) return 'finished';
  await destroyFirstVersion(env, key, spend);
  await env.store.write((writes) => writes.remove(KEYS, key.id));
  return 'cleared';
}

/**
 * Frees name and places, unless that was done when it failed, before anything is destroyed: a creation that goes on finds
 * itself given up. `false` where the key came to be.
 */
function abandon(env: Env, key: Key): Promise<boolean> {
  return env.store.transact(async (tx) => {
    if ((await tx.find(KEYS, key.id))?.state !== key.state) return false;
    if (key.state === 'creating') await giveBack(tx, env, key);
    replaceKey(tx, { ...key, state: 'abandoned' });
    return true;
  });
}
