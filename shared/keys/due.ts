import { makeInstant } from '../base/clock.ts';
import type { Env } from '../env.ts';
import { cutOffBefore, finishCutOff } from './clear.ts';
import { destroyIfDue } from './destroy.ts';
import { KEYS_BY_DUE, KEYS_UNFINISHED, type Key } from './key.ts';

/** A run takes at most so many keys of each kind, and begins none after so many milliseconds: the next run goes on. */
const KEYS_PER_RUN = 500;
const RUN_MS = 50_000;
/** The KMS's quota for changes is small: some side by side are enough. */
const SIDE_BY_SIDE = 4;

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
  const giveUpAt = performance.now() + RUN_MS;
  const due = await env.store.select(KEYS_BY_DUE, {
    equal: ['pending_deletion'],
    until: makeInstant(env.clock.now() + 1),
    limit: KEYS_PER_RUN,
  });
  const destroyed = await each(env, due, giveUpAt, async ({ id }) =>
    (await destroyIfDue(env, id)) ? 'destroyed' : 'nothing',
  );
  const cutOff = await env.store.select(KEYS_UNFINISHED, { equal: [], until: cutOffBefore(env), limit: KEYS_PER_RUN });
  const finished = await each(env, cutOff, giveUpAt, (key) => finishCutOff(env, key));
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

async function each(
  env: Env,
  keys: readonly Key[],
  giveUpAt: number,
  work: (key: Key) => Promise<Outcome>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...keys];
  const lane = async () => {
    for (let key = waiting.shift(); key !== undefined && performance.now() < giveUpAt; key = waiting.shift()) {
      outcomes.push(await attempt(env, key, work));
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  return outcomes;
}

async function attempt(env: Env, key: Key, work: (key: Key) => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work(key);
  } catch (error) {
    env.log.write('ERROR', 'a key stays for the next run', { key_id: key.id, state: key.state }, error);
    return 'failed';
  }
}
