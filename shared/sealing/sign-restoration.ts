import { makeInstant } from '../base/clock.ts';
import { signNote } from '../transparency/note.ts';
import { formatRestoration, restorationKey } from '../transparency/restoration.ts';
import { type FoundHead, SEAL_HEADS } from './head.ts';
import { loadLogKey } from './log-key.ts';
import { RESTORATIONS, restorationId } from './restorations.ts';
import type { SealServices } from './seal-services.ts';

/**
 * States that the log was restored from a backup, where that is still to be stated, and has the log go on from what is left. Returns
 * `false` where the service is open: then nothing of this log is signed.
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
  const { branch, lost, from } = restoring;
  const text = formatRestoration({ log: key.name, lost, from, branch });
  const statement = await signNote(text, restorationKey(key), (bytes) => signer.key.sign(bytes));
  // Another run beside this one signs the same, and one of the two is refused here.
  await store.write((writes) => {
    writes.create(RESTORATIONS, restorationId(tenant_id, index), { tenant_id, index, statement });
    const next = { restorations: index + 1, branch, restoring: null, failures: 0, retry_at: makeInstant(0) };
    writes.replaceUnchanged(SEAL_HEADS, tenant_id, { ...head, ...next }, updateTime);
  });
  log.write('restoration of an audit log signed', {
    tenant_id,
    lost_size: lost.size,
    from_size: from.size,
    statement,
  });
  return true;
}
