import type { Recovery } from '../http/recovery.ts';

/** Finds that a key is restored, which asking again is refused for. */
export function restoredKey(id: string): Recovery<'restore_key'> {
  return { settledBy: 'not_pending_deletion', find: async (ask) => ({ answer: await ask('get_key', { id }) }) };
}
