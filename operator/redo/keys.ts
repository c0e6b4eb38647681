import { isDeepStrictEqual } from 'node:util';
import { appendEvent } from '../../shared/audit/event.ts';
import { makeEvent } from '../../shared/audit/record.ts';
import { makeInstant } from '../../shared/base/clock.ts';
import { isLive, KEYS, type Key } from '../../shared/keys/key.ts';
import { nextRotation } from '../../shared/keys/versions.ts';
import { asPending, UNDO_US } from '../../shared/lifecycle/delete-key.ts';
import { destroyIfDue } from '../../shared/lifecycle/destroy-key.ts';
import { replaceKey } from '../../shared/lifecycle/due.ts';
import { loadFresh } from '../../shared/lifecycle/key-changes.ts';
import type { Operation } from '../../shared/operations.ts';
import { type Find, type Finding, type LineOf, originIn, type RedoServices } from './fact.ts';
import { type LifeLine, relive } from './key-life.ts';

type KeyLine = LineOf<'key created' | 'key rotated'> | LifeLine;

/** Makes no change: a key that was created after the backup is lost with its material, and cannot be created again. */
export function creation(line: LineOf<'key created'>): Find {
  return finding(line, () => 'already so');
}

/** Ensures that the numbers of lost versions are not used again. Versions that were made after the backup are lost. */
export function rotation(line: LineOf<'key rotated'>): Find {
  const { primary_version: lost_version } = line;
  return finding(line, (key, services) => {
    if (!isLive(key) || nextRotation(key).version > lost_version) return 'already so';
    return () => change(services, line, (fresh) => ({ ...fresh, lost_version }));
  });
}

/**
 * Redoes all changes of a key's state. `last` is the last line. Without `destroy`, a destroyed key is pending deletion
 * for seven days. If the backup has the same deletion request, the key keeps the request's date.
 */
export function life(lines: readonly LifeLine[], last: LifeLine): Find {
  return finding(last, (key, services) => {
    const isRestored = last.message === 'key restored';
    if (isRestored && (!isLive(key) || key.destroying)) throw new Error('its destruction has begun');
    const destroy = services.destroy && last.message === 'key destroyed';
    const now = services.clock.now();
    const to = (fresh: Key) => {
      const after = relive(fresh, lines);
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

function hasSameRequest(one: Key, other: Key): boolean {
  return one.delete_requested_at === other.delete_requested_at;
}

function finding({ tenant_id, target_id: id }: KeyLine, find: (key: Key, services: RedoServices) => Finding): Find {
  return async (services) => {
    const key = await services.store.find(KEYS, id);
    const isThere = key?.tenant_id === tenant_id && key.state !== 'creating' && key.state !== 'abandoned';
    return isThere ? find(key, services) : 'not in the store';
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
