import type { Recovery } from '../http/recovery.ts';
import type { Body } from '../types.ts';

/** The audit log is searched from this long before a key's creation until this long after it. */
const MARGIN_MS = 60_000;

/** Finds the key that the lost request created. The key has this name, and its audit log contains the request. */
export function createdKey({ name, tier }: Body<'create_key'>): Recovery<'create_key'> {
  return {
    codeIfDone: 'key_exists',
    find: async (call, requestId) => {
      const keys = await call('list_keys', {});
      for (const key of keys.filter((one) => one.name === name && one.tier === tier)) {
        const since = new Date(key.created_at.getTime() - MARGIN_MS);
        const until = new Date(key.created_at.getTime() + MARGIN_MS);
        const events = await call('read_key_audit', { id: key.id, query: { since, until, limit: 1000 } });
        const isOurs = events.some((event) => event.operation === 'create_key' && event.request_id === requestId);
        if (isOurs) return { answer: key };
      }
      return undefined;
    },
  };
}
