import { HOUR_US, type Instant, makeInstant } from '../base/clock.ts';
import type { Env } from '../env.ts';
import { giveBack } from './claims.ts';
import { KEYS, type Key } from './key.ts';
import { destroyVersions } from './material.ts';
import { finishRotation } from './rotate.ts';

/** Work with the KMS that has been under way for longer than this was cut off. No request lives nearly as long. */
const CUT_OFF_AFTER_US = HOUR_US / 6;

/**
 * Finishes or clears what was cut off: of a key that never came to be nothing remains, and its name is free; a rotation
 * is finished; of one that a destruction overtook no version remains.
 */
export async function finishCutOff(env: Env, key: Key): Promise<'cleared' | 'finished'> {
  if (key.state === 'destroyed') {
    await destroyVersions(env, key);
    await env.store.write((writes) => writes.replace(KEYS, key.id, { ...key, rotations: 0, unfinished_since: null }));
    return 'finished';
  }
  if (key.state !== 'creating' && key.state !== 'abandoned') {
    await finishRotation(env, key, cutOffBefore(env));
    return 'finished';
  }
  if (!(await abandon(env, key))) return 'finished';
  await destroyVersions(env, key);
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
    tx.replace(KEYS, key.id, { ...key, state: 'abandoned' });
    return true;
  });
}

/** Before this, work that is not finished was cut off. */
export function cutOffBefore(env: Env): Instant {
  return makeInstant(env.clock.now() - CUT_OFF_AFTER_US);
}
