import { appendEvent } from '../../shared/audit/event.ts';
import { makeEvent } from '../../shared/audit/record.ts';
import { makeInstant } from '../../shared/base/clock.ts';
import { isLive, KEYS, type Key } from '../../shared/keys/key.ts';
import { nextRotation } from '../../shared/keys/versions.ts';
import { asPending, asRestored, UNDO_US } from '../../shared/lifecycle/delete-key.ts';
import { destroyIfDue } from '../../shared/lifecycle/destroy-key.ts';
import { replaceKey } from '../../shared/lifecycle/due.ts';
import { loadFresh } from '../../shared/lifecycle/key-changes.ts';
import type { Operation } from '../../shared/operations.ts';
import { type Find, type Finding, type LineOf, originIn, type RedoServices } from './fact.ts';

type KeyLine = LineOf<'key created' | 'key rotated' | 'key deletion requested' | 'key restored' | 'key destroyed'>;

/** A key that was created after the backup is gone with its material: there is nothing to make again. */
export function creation(line: LineOf<'key created'>): Find {
  return finding(line, () => 'already so');
}

/** The versions that rotations made since the backup are lost. Their numbers are not used again. */
export function rotation(line: LineOf<'key rotated'>): Find {
  const { primary_version: lost_version } = line;
  return finding(line, (key, services) => {
    if (!isLive(key) || nextRotation(key).version > lost_version) return 'already so';
    return () => change(services, line, (fresh) => ({ ...fresh, lost_version }));
  });
}

export function deletion(line: LineOf<'key deletion requested'>): Find {
  const { delete_requested_at, destroy_after } = line;
  return finding(line, (key, services) => {
    if (!isLive(key) || key.destroying || key.destroy_after === destroy_after) return 'already so';
    const pend = (fresh: Key) => asPending(asRestored(fresh, delete_requested_at), delete_requested_at, destroy_after);
    return () => change(services, line, pend, 'delete_key');
  });
}

export function restoration(line: LineOf<'key restored'>): Find {
  return finding(line, (key, services) => {
    if (key.state === 'active') return 'already so';
    if (!isLive(key) || key.destroying) throw new Error('its destruction has begun');
    return () => change(services, line, (fresh) => asRestored(fresh, line.commit_time), 'restore_key');
  });
}

/** Without `destroy` the tenant has seven days again to restore the key, or those that it had at the backup. */
export function destruction(line: LineOf<'key destroyed'>): Find {
  return finding(line, (key, services) => {
    const { destroy } = services;
    const isPending = key.state === 'pending_deletion';
    if (!isLive(key) || (isPending && !destroy)) return 'already so';
    return async () => {
      const now = services.clock.now();
      const until = destroy ? now : makeInstant(now + UNDO_US);
      const pend = (fresh: Key) => asPending(fresh, line.commit_time, until);
      await change(services, line, pend, isPending ? undefined : 'delete_key');
      if (destroy) await destroyIfDue(services, line.target_id, () => waitForWrite(services));
    };
  });
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
