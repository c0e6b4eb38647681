import { type Instant, makeInstant, SECOND_US } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import { inLanes } from '../base/lanes.ts';
import type { Env } from '../env.ts';
import { JOB_BEGINS_MS } from '../job-time.ts';
import { isCutOff, putOff, replaceKey } from './attention.ts';
import { finishCutOff } from './clear.ts';
import { destroyIfDue } from './destroy.ts';
import { KEYS, KEYS_BY_DUE, KEYS_TO_ATTEND, type Key } from './key.ts';
import type { Spend } from './material.ts';
import { takingTurns } from './turns.ts';

/** So many keys are taken up together, that tenants can take turns: all that two tenants may have. */
const TAKEN_UP = 20_000;
/** What the KMS lets a run change is little: some side by side are enough. */
const SIDE_BY_SIDE = 4;

/** What a run did, in keys. */
export interface DestructionSummary {
  /** Pending keys that were due. */
  readonly destroyed: number;
  /** Rotations that were cut off. */
  readonly finished: number;
  /** Creations that were cut off. */
  readonly cleared: number;
  /** Keys that are tried again later. */
  readonly failed: number;
}

type Outcome = keyof DestructionSummary | 'nothing' | 'left';
type Taken = Pick<Key, 'id' | 'tenant_id'>;

/** A run's time is over before the KMS may be told more. */
class OutOfTime extends Error {}

/**
 * Destroys the keys that are due, and finishes or clears what was cut off: the longest due first, tenants in turn. Begins
 * nothing more after `forMs` milliseconds. Safe to run twice at once. A key that fails stops no other, and is left alone for
 * a while.
 */
export async function destroyDueKeys(env: Env, forMs = JOB_BEGINS_MS): Promise<DestructionSummary> {
  const giveUpAt = performance.now() + forMs;
  const spend: Spend = async () => {
    if (!(await env.kmsWrites.takeInTime(giveUpAt))) throw new OutOfTime();
  };
  const outcomes: Outcome[] = [];
  let taken: Taken[];
  do {
    taken = await takeUp(env, giveUpAt);
    const bounds = { sideBySide: SIDE_BY_SIDE, forMs: giveUpAt - performance.now() };
    outcomes.push(...(await inLanes(takingTurns(taken), bounds, ({ id }) => attempt(env, id, spend))));
  } while (taken.length >= TAKEN_UP && performance.now() < giveUpAt);
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const summary = {
    destroyed: count('destroyed'),
    finished: count('finished'),
    cleared: count('cleared'),
    failed: count('failed'),
  };
  const fields = { ...summary, oldest_due_s: await oldestDue(env) };
  env.log.write(summary.failed > 0 ? 'ERROR' : 'INFO', 'destroy-due-keys', fields);
  return summary;
}

/** The keys that are to be looked at now, the longest due first, as many as are taken up together. */
async function takeUp(env: Env, giveUpAt: number): Promise<Taken[]> {
  const taken: Taken[] = [];
  for await (const page of env.store.pages(KEYS_TO_ATTEND, { equal: [], until: upTo(env.clock.now()) })) {
    taken.push(...page.map(({ id, tenant_id }) => ({ id, tenant_id })));
    if (taken.length >= TAKEN_UP || performance.now() > giveUpAt) break;
  }
  return taken;
}

/** How long, in whole seconds, that key has been due that has been so the longest; 0 when none is. */
async function oldestDue(env: Env): Promise<number> {
  const now = env.clock.now();
  const [oldest] = await env.store.select(KEYS_BY_DUE, { equal: [], until: upTo(now), limit: 1 });
  return Math.floor((now - (oldest?.due_at ?? now)) / SECOND_US);
}

/** The bound of a query that takes `now` in. */
function upTo(now: Instant): Instant {
  return makeInstant(now + 1);
}

async function attempt(env: Env, id: KeyId, spend: Spend): Promise<Outcome> {
  try {
    return await attend(env, id, spend);
  } catch (error) {
    if (error instanceof OutOfTime) return 'left';
    env.log.write('ERROR', 'a key stays for a later run', { key_id: id }, error);
    await pause(env, id);
    return 'failed';
  }
}

/** Does what the key needs, as it is now. */
async function attend(env: Env, id: KeyId, spend: Spend): Promise<Outcome> {
  if (await destroyIfDue(env, id, spend)) return 'destroyed';
  const key = await env.store.find(KEYS, id);
  return key !== undefined && isCutOff(key, env.clock.now()) ? finishCutOff(env, key, spend) : 'nothing';
}

/** Leaves a key alone on which work has failed. Where even that fails, the next run takes it up again. */
async function pause(env: Env, id: KeyId): Promise<void> {
  try {
    await env.store.transact(async (tx) => {
      const [key, now] = [await tx.find(KEYS, id), env.clock.now()];
      if (key !== undefined && key.due_at !== null && key.due_at <= now) replaceKey(tx, putOff(key, now));
    });
  } catch (error) {
    env.log.write('ERROR', 'a key that failed is taken up again at once', { key_id: id }, error);
  }
}
