import type { Recovery } from '../http/recovery.ts';
import type { Body } from '../types.ts';

/**
 * The search in a key's audit log begins this many milliseconds before the key's creation, and ends as many after it.
 */
const MARGIN_MS = 60_000;

/** Finds the key that the call created although the response was lost. Its audit log contains the id of the request. */
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
