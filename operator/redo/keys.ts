import { isDeepStrictEqual } from 'node:util';
import { appendEvent } from '../../shared/audit/event.ts';
import { makeEvent } from '../../shared/audit/record.ts';
import { type Instant, makeInstant } from '../../shared/base/clock.ts';
import { isLive, KEYS, type Key } from '../../shared/keys/key.ts';
import { nextRotation } from '../../shared/keys/versions.ts';
import { asPending, UNDO_US } from '../../shared/lifecycle/delete-key.ts';
import { destroyIfDue } from '../../shared/lifecycle/destroy-key.ts';
import { replaceKey } from '../../shared/lifecycle/due.ts';
import { loadFresh } from '../../shared/lifecycle/key-changes.ts';
import type { Operation } from '../../shared/operations.ts';
import { type ChangePlan, type LineOf, originIn, type PlanChange, type RedoServices } from './change.ts';
import { applyStateLines, type StateLine } from './key-state.ts';

type KeyLine = LineOf<'key created' | 'key rotated' | 'key frozen' | 'key thawed'> | StateLine;

/** Makes no change: a key that was created after the backup is lost with its material, and cannot be created again. */
export function creation(line: LineOf<'key created'>): PlanChange {
  return planFor(line, () => 'already so');
}

/** Ensures that the numbers of lost versions are not used again. Versions that were made after the backup are lost. */
export function rotation(line: LineOf<'key rotated'>): PlanChange {
  const { primary_version: lost_version } = line;
  return planFor(line, (key, services) => {
    if (!isLive(key) || nextRotation(key).version > lost_version) return 'already so';
    return () => change(services, line, (fresh) => ({ ...fresh, lost_version }));
  });
}

/**
 * Redoes all changes of a key's state. `last` is the last line. Without `destroy`, a destroyed key becomes pending
 * deletion for seven days. If the backup has the same deletion request, the key keeps the request's date.
 */
export function keyState(lines: readonly StateLine[], last: StateLine): PlanChange {
  return planFor(last, (key, services) => {
    const isRestored = last.message === 'key restored';
    if (isRestored && (!isLive(key) || key.destroying)) throw new Error('the destruction of the key has begun');
    const destroy = services.destroy && last.message === 'key destroyed';
    const now = services.clock.now();
    const to = (fresh: Key) => {
      const after = applyStateLines(fresh, lines);
      if (destroy) return asPending(after, last.commit_time, now);
      if (last.message !== 'key destroyed' || hasSameRequest(fresh, after)) return after;
      return asPending(after, last.commit_time, makeInstant(now + UNDO_US));
    };
    if (!isLive(key) || isDeepStrictEqual(to(key), key)) return 'already so';
    return async () => {
      const request = hasSameRequest(key, to(key)) ? undefined : 'delete_key';
      await change(services, last, to, isRestored ? 'restore_key' : request);
      if (destroy) await destroyIfDue(services, last.target_id, () => waitForWrite(services));
    };
  });
}

/** Freezes a key again, also one that is pending deletion. Thaws it if `frozen_at` is `null`. */
export function freeze(line: LineOf<'key frozen' | 'key thawed'>, frozen_at: Instant | null): PlanChange {
  return planFor(line, (key, services) => {
    if (!isLive(key) || key.frozen_at === frozen_at) return 'already so';
    const operation = frozen_at === null ? 'thaw_key' : 'freeze_key';
    return () => change(services, line, (fresh) => ({ ...fresh, frozen_at }), operation);
  });
}

function hasSameRequest(one: Key, other: Key): boolean {
  return one.delete_requested_at === other.delete_requested_at;
}

function planFor(
  { tenant_id, target_id: id }: KeyLine,
  plan: (key: Key, services: RedoServices) => ChangePlan,
): PlanChange {
  return async (services) => {
    const key = await services.store.find(KEYS, id);
    const exists = key?.tenant_id === tenant_id && key.state !== 'creating' && key.state !== 'abandoned';
    return exists ? plan(key, services) : 'not in the store';
  };
}

function change(
  { store, clock }: RedoServices,
  { tenant_id, target_id: id }: KeyLine,
  to: (key: Key) => Key,
  operation?: Operation,
): Promise<void> {
  return store.transact(async (tx) => {
    replaceKey(tx, to(await loadFresh(tx, id)));
    if (operation !== undefined) appendEvent(tx, makeEvent(clock, originIn(tenant_id), operation, id));
  });
}

async function waitForWrite({ kmsWrites }: RedoServices): Promise<void> {
  await kmsWrites.takeInTime(Number.POSITIVE_INFINITY);
}
