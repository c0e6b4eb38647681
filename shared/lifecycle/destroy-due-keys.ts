import { type Instant, makeInstant, SECOND_US } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import { mapConcurrently } from '../base/map-concurrently.ts';
import { KEYS, KEYS_BY_DUE, KEYS_TO_ATTEND, type Key } from '../keys/key.ts';
import { JOB_BEGINS_MS } from '../run-time.ts';
import { backOff, isInterrupted, replaceKey } from './attention.ts';
import { destroyIfDue } from './destroy-key.ts';
import { finishInterrupted } from './finish-interrupted.ts';
import type { TakeWrite } from './material.ts';
import type { DestructionNeeds } from './needs.ts';
import { roundRobin } from './round-robin.ts';

/** Keys per batch: the most that two tenants can have, so that tenants can alternate. */
const BATCH_SIZE = 20_000;
/** Low, because the KMS write limit is the bottleneck. */
const CONCURRENCY = 4;

export interface DestructionSummary {
  readonly destroyed: number;
  /** Interrupted rotations. */
  readonly finished: number;
  /** Interrupted creations. */
  readonly cleared: number;
  readonly failed: number;
}

type Outcome = keyof DestructionSummary | 'nothing' | 'left';
type Due = Pick<Key, 'id' | 'tenant_id'>;

/** The run's time ended while it waited for the KMS write limit. */
class OutOfTime extends Error {}

/**
 * Destroys due keys and finishes interrupted work, the longest due first, alternating between tenants. Starts nothing
 * after `forMs` milliseconds. Idempotent, also when runs overlap. A failing key is retried with back-off and does not
 * stop others.
 */
export async function destroyDueKeys(needs: DestructionNeeds, forMs = JOB_BEGINS_MS): Promise<DestructionSummary> {
  const giveUpAt = performance.now() + forMs;
  const takeWrite: TakeWrite = async () => {
    if (!(await needs.kmsWrites.takeInTime(giveUpAt))) throw new OutOfTime();
  };
  const outcomes: Outcome[] = [];
  let batch: Due[];
  do {
    batch = await selectBatch(needs, giveUpAt);
    const bounds = { concurrency: CONCURRENCY, forMs: giveUpAt - performance.now() };
    outcomes.push(...(await mapConcurrently(roundRobin(batch), bounds, ({ id }) => attempt(needs, id, takeWrite))));
  } while (batch.length >= BATCH_SIZE && performance.now() < giveUpAt);
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const summary = {
    destroyed: count('destroyed'),
    finished: count('finished'),
    cleared: count('cleared'),
    failed: count('failed'),
  };
  const fields = { ...summary, oldest_due_s: await oldestDue(needs) };
  needs.log.write(summary.failed > 0 ? 'ERROR' : 'INFO', 'destroy-due-keys', fields);
  return summary;
}

async function selectBatch(needs: DestructionNeeds, giveUpAt: number): Promise<Due[]> {
  const batch: Due[] = [];
  for await (const page of needs.store.pages(KEYS_TO_ATTEND, { equal: [], until: upTo(needs.clock.now()) })) {
    batch.push(...page.map(({ id, tenant_id }) => ({ id, tenant_id })));
    if (batch.length >= BATCH_SIZE || performance.now() > giveUpAt) break;
  }
  return batch;
}

async function oldestDue(needs: DestructionNeeds): Promise<number> {
  const now = needs.clock.now();
  const [oldest] = await needs.store.select(KEYS_BY_DUE, { equal: [], until: upTo(now), limit: 1 });
  return Math.floor((now - (oldest?.due_at ?? now)) / SECOND_US);
}

function upTo(now: Instant): Instant {
  return makeInstant(now + 1);
}

async function attempt(needs: DestructionNeeds, id: KeyId, takeWrite: TakeWrite): Promise<Outcome> {
  try {
    return await attend(needs, id, takeWrite);
  } catch (error) {
    if (error instanceof OutOfTime) return 'left';
    needs.log.write('ERROR', 'a key stays for a later run', { key_id: id }, error);
    await postpone(needs, id);
    return 'failed';
  }
}

async function attend(needs: DestructionNeeds, id: KeyId, takeWrite: TakeWrite): Promise<Outcome> {
  if (await destroyIfDue(needs, id, takeWrite)) return 'destroyed';
  const key = await needs.store.find(KEYS, id);
  return key !== undefined && isInterrupted(key, needs.clock.now())
    ? finishInterrupted(needs, key, takeWrite)
    : 'nothing';
}

/** Applies the back-off after a failure; if that fails too, the next run retries the key at once. */
async function postpone(needs: DestructionNeeds, id: KeyId): Promise<void> {
  try {
    await needs.store.transact(async (tx) => {
      const [key, now] = [await tx.find(KEYS, id), needs.clock.now()];
      if (key !== undefined && key.due_at !== null && key.due_at <= now) replaceKey(tx, backOff(key, now));
    });
  } catch (error) {
    needs.log.write('ERROR', 'a key that failed is taken up again at once', { key_id: id }, error);
  }
}
