import type { Recovery } from '../http/recovery.ts';

/** A retry is refused if the key is already restored. */
export function restoredKey(id: string): Recovery<'restore_key'> {
  return { settledBy: 'not_pending_deletion', find: async (ask) => ({ answer: await ask('get_key', { id }) }) };
}
