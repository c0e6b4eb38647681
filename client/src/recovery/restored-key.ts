import type { Recovery } from '../http/recovery.ts';

/** For the restoration of a key: if a retry gets `not_pending_deletion`, the first attempt has restored the key. */
export function restoredKey(id: string): Recovery<'restore_key'> {
  return { codeIfDone: 'not_pending_deletion', find: async (call) => ({ answer: await call('get_key', { id }) }) };
}
