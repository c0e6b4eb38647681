import { type Instant, makeInstant, SECOND_US } from '../base/clock.ts';
import type { KeyId, TenantId } from '../base/ids.ts';
import { mapConcurrently } from '../base/map-concurrently.ts';
import { KEYS, KEYS_BY_DUE, KEYS_BY_RETRY, type Key } from '../keys/key.ts';
import { JOB_BEGINS_MS } from '../run-time.ts';
import { destroyIfDue } from './destroy-key.ts';
import { backOff, isInterrupted, replaceKey } from './due.ts';
import { finishInterrupted } from './finish-interrupted.ts';
import type { DestructionServices } from './key-services.ts';
import type { TakeWrite } from './material.ts';

/** The number of keys per batch: twice what one tenant can have, so that a full batch has keys of several tenants. */
const BATCH_SIZE = 20_000;
/** The number of keys destroyed concurrently. It is low because the KMS write limit is the bottleneck. */
const CONCURRENCY = 4;

export interface DestructionSummary {
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
  const takeWrite: TakeWrite = async () => {
    if (!(await services.kmsWrites.takeInTime(giveUpAt))) throw new OutOfTime();
  };
  const outcomes: DestructionOutcome[] = [];
  let batch: Due[];
  do {
    batch = await selectBatch(services, giveUpAt);
    const bounds = { concurrency: CONCURRENCY, forMs: giveUpAt - performance.now() };
    outcomes.push(...(await mapConcurrently(roundRobin(batch), bounds, ({ id }) => attempt(services, id, takeWrite))));
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

/** Returns the items in an order in which tenants take turns. */
export function roundRobin<Item extends { readonly tenant_id: TenantId }>(items: readonly Item[]): Item[] {
  const taken = new Map<TenantId, number>();
  const withTurns = items.map((item) => {
    const turn = taken.get(item.tenant_id) ?? 0;
    taken.set(item.tenant_id, turn + 1);
    return { item, turn };
  });
  return withTurns.sort((one, other) => one.turn - other.turn).map(({ item }) => item);
}

function upTo(now: Instant): Instant {
  return makeInstant(now + 1);
}

async function attempt(services: DestructionServices, id: KeyId, takeWrite: TakeWrite): Promise<DestructionOutcome> {
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
