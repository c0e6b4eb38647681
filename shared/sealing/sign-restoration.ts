import { makeInstant } from '../base/clock.ts';
import { nextTurn } from '../base/next-turn.ts';
import { signNote } from '../transparency/note.ts';
import { formatRestoration, restorationKey } from '../transparency/restoration.ts';
import { type FoundHead, SEAL_HEADS } from './head.ts';
import { loadLogKey } from './log-key.ts';
import { openRestoring } from './open-restoring.ts';
import { RESTORATIONS, restorationId } from './restorations.ts';
import type { SealServices } from './seal-services.ts';

/**
 * Signs the statement about a restore, if one is due. While the service is open, signs nothing and returns `false`.
 * Throws an `Error` unless the log's key has signed both the lost and the remaining state of the log.
 */
export async function signRestoration(services: SealServices, { doc: head, updateTime }: FoundHead): Promise<boolean> {
  const { store, signer, log, config } = services;
  const { tenant_id, restoring, restorations: index } = head;
  if (restoring === null) return true;
  if (!config.closed) {
    log.write('restored audit log not sealed while the service is open', { tenant_id });
    return false;
  }
  const key = await loadLogKey(signer, tenant_id);
  const { branch } = restoring;
  const { lost, from } = await openRestoring(store, key, head, restoring);
  const text = formatRestoration({ log: key.name, lost, from, number: branch });
  const statement = await signNote(text, restorationKey(key), (bytes) => signer.key.sign(bytes));
  const sizes = { lost_size: lost.size, from_size: from.size };
  log.write('restoration of an audit log signed', { tenant_id, ...sizes, branch, statement });
  // Wait until the log line is written: every statement must be in the operator's log before anyone can read it.
  await nextTurn();
  // A concurrent run may sign the same statement. Only one of the two commits succeeds.
  await store.write((writes) => {
    writes.create(RESTORATIONS, restorationId(tenant_id, index), { tenant_id, index, statement });
    const next = { restorations: index + 1, branch, restoring: null, failures: 0, retry_at: makeInstant(0) };
    writes.replaceUnchanged(SEAL_HEADS, tenant_id, { ...head, ...next }, updateTime);
  });
  return true;
}
