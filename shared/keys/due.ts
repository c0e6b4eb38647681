import { makeInstant } from '../base/clock.ts';
import { type Bounds, inLanes } from '../base/lanes.ts';
import type { Env } from '../env.ts';
import { cutOffBefore, finishCutOff } from './clear.ts';
import { destroyIfDue } from './destroy.ts';
import { KEYS_BY_DUE, KEYS_UNFINISHED, type Key } from './key.ts';

/** A run takes at most so many keys of each kind; the next run goes on. */
const KEYS_PER_RUN = 500;
/** The KMS's quota for changes is small: some side by side are enough. */
const BOUNDS: Bounds = { sideBySide: 4, forMs: 25_000 };

/** What a run did, in keys. */
export interface DestructionSummary {
  /** Pending keys that were due. */
  readonly destroyed: number;
  /** Rotations that were cut off. */
  readonly finished: number;
  /** Creations that were cut off. */
  readonly cleared: number;
  /** Keys that stay for the next run. */
  readonly failed: number;
}

type Outcome = 'destroyed' | 'finished' | 'cleared' | 'failed' | 'nothing';

/**
 * Destroys the keys that are due, then finishes or clears what was cut off. Safe to run twice at once; a key that fails
 * does not stop the others.
 */
export async function destroyDueKeys(env: Env): Promise<DestructionSummary> {
  const due = await env.store.select(KEYS_BY_DUE, {
    equal: ['pending_deletion'],
    until: makeInstant(env.clock.now() + 1),
    limit: KEYS_PER_RUN,
  });
  const destroyed = await inLanes(due, BOUNDS, (key) =>
    attempt(env, key, async () => ((await destroyIfDue(env, key.id)) ? 'destroyed' : 'nothing')),
  );
  const cutOff = await env.store.select(KEYS_UNFINISHED, { equal: [], until: cutOffBefore(env), limit: KEYS_PER_RUN });
  const finished = await inLanes(cutOff, BOUNDS, (key) => attempt(env, key, () => finishCutOff(env, key)));
  const outcomes = [...destroyed, ...finished];
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const summary = {
    destroyed: count('destroyed'),
    finished: count('finished'),
    cleared: count('cleared'),
    failed: count('failed'),
  };
  env.log.write(summary.failed > 0 ? 'ERROR' : 'INFO', 'destroy-due-keys', summary);
  return summary;
}

async function attempt(env: Env, key: Key, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    env.log.write('ERROR', 'a key stays for the next run', { key_id: key.id, state: key.state }, error);
    return 'failed';
  }
}
