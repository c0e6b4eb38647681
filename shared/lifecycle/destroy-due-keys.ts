import { type Instant, makeInstant, SECOND_US } from '../base/clock.ts';
import { FairQueue, type Turns } from '../base/fair-queue.ts';
import type { KeyId } from '../base/ids.ts';
import { KEYS, KEYS_BY_DUE, KEYS_BY_RETRY, type Key } from '../keys/key.ts';
import { JOB_BEGINS_MS } from '../run-time.ts';
import { destroyIfDue } from './destroy-key.ts';
import { backOff, isInterrupted, replaceKey } from './due.ts';
import { finishInterrupted } from './finish-interrupted.ts';
import type { DestructionServices } from './key-services.ts';
import type { TakeWrite } from './material.ts';

/** The number of keys per batch: twice what one tenant can have, so that a full batch has keys of several tenants. */
const BATCH_SIZE = 20_000;
/** Few, because the KMS write limit is the bottleneck. */
export const DESTRUCTION: Turns = {
  what: 'keys that `destroy-due-keys` destroys',
  owner: 'tenant',
  running: 4,
  runningPerOwner: 4,
};

interface DestructionSummary {
  readonly destroyed: number;
  readonly finished: number;
  readonly cleared: number;
  readonly failed: number;
}

type DestructionOutcome = keyof DestructionSummary | 'nothing' | 'left';
type Due = Pick<Key, 'id' | 'tenant_id'>;

class OutOfTime extends Error {}

/** Destroys due keys, tenants in turn. Starts no key after `forMs` milliseconds. Idempotent, even if runs overlap. */
export async function destroyDueKeys(
  services: DestructionServices,
  forMs = JOB_BEGINS_MS,
): Promise<DestructionSummary> {
  const giveUpAt = performance.now() + forMs;
  const queue = new FairQueue(DESTRUCTION);
  const takeWrite: TakeWrite = async () => {
    if (!(await services.kmsWrites.takeInTime(giveUpAt))) throw new OutOfTime();
  };
  const outcomes: DestructionOutcome[] = [];
  let batch: Due[];
  do {
    batch = await selectBatch(services, giveUpAt);
    const attempts = batch.map(({ id, tenant_id }) =>
      queue.run(tenant_id, () => attempt(services, id, takeWrite, giveUpAt)),
    );
    outcomes.push(...(await Promise.all(attempts)));
  } while (batch.length >= BATCH_SIZE && performance.now() < giveUpAt);
  const count = (wanted: DestructionOutcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const summary = {
    destroyed: count('destroyed'),
    finished: count('finished'),
    cleared: count('cleared'),
    failed: count('failed'),
  };
  const fields = { ...summary, oldest_due_s: await oldestDue(services) };
  services.log.write(
    summary.failed > 0 ? 'destroy-due-keys finished with failures' : 'destroy-due-keys finished',
    fields,
  );
  return summary;
}

async function selectBatch(services: DestructionServices, giveUpAt: number): Promise<Due[]> {
  const batch: Due[] = [];
  for await (const page of services.store.pages(KEYS_BY_RETRY, { equal: [], until: upTo(services.clock.now()) })) {
    batch.push(...page.map(({ id, tenant_id }) => ({ id, tenant_id })));
    if (batch.length >= BATCH_SIZE || performance.now() > giveUpAt) break;
  }
  return batch;
}

async function oldestDue(services: DestructionServices): Promise<number> {
  const now = services.clock.now();
  const [oldest] = await services.store.select(KEYS_BY_DUE, { equal: [], until: upTo(now), limit: 1 });
  return Math.floor((now - (oldest?.due_at ?? now)) / SECOND_US);
}

function upTo(now: Instant): Instant {
  return makeInstant(now + 1);
}

async function attempt(
  services: DestructionServices,
  id: KeyId,
  takeWrite: TakeWrite,
  giveUpAt: number,
): Promise<DestructionOutcome> {
  if (performance.now() >= giveUpAt) return 'left';
  try {
    return await destroyOrFinish(services, id, takeWrite);
  } catch (error) {
    if (error instanceof OutOfTime) return 'left';
    services.log.write('key destruction failed; the next run retries it', { key_id: id }, error);
    await postpone(services, id);
    return 'failed';
  }
}

async function destroyOrFinish(
  services: DestructionServices,
  id: KeyId,
  takeWrite: TakeWrite,
): Promise<DestructionOutcome> {
  if (await destroyIfDue(services, id, takeWrite)) return 'destroyed';
  const key = await services.store.find(KEYS, id);
  return key !== undefined && isInterrupted(key, services.clock.now())
    ? finishInterrupted(services, key, takeWrite)
    : 'nothing';
}

/** Stores a later time for the next attempt. If storing fails too, the next run retries the key. */
async function postpone(services: DestructionServices, id: KeyId): Promise<void> {
  try {
    await services.store.transact(async (tx) => {
      const [key, now] = [await tx.find(KEYS, id), services.clock.now()];
      if (key !== undefined && key.due_at !== null && key.due_at <= now) replaceKey(tx, backOff(key, now));
    });
  } catch (error) {
    services.log.write(
      'storing the next attempt to destroy a key failed; the next run retries it',
      { key_id: id },
      error,
    );
  }
}
