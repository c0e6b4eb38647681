import type { Recovery } from '../http/recovery.ts';
import type { Body } from '../types.ts';

/** How far before and after a key's creation to search its audit log. The service records the creation at once. */
const MARGIN_MS = 60_000;

/** Finds the key with this name whose audit log contains this request. A key of an earlier request is not returned. */
export function createdKey({ name, tier }: Body<'create_key'>): Recovery<'create_key'> {
  return {
    settledBy: 'key_exists',
    find: async (ask, requestId) => {
      const keys = await ask('list_keys', {});
      for (const key of keys.filter((one) => one.name === name && one.tier === tier)) {
        const since = new Date(key.created_at.getTime() - MARGIN_MS);
        const until = new Date(key.created_at.getTime() + MARGIN_MS);
        const events = await ask('read_key_audit', { id: key.id, query: { since, until, limit: 1000 } });
        const isOurs = events.some((event) => event.operation === 'create_key' && event.request_id === requestId);
        if (isOurs) return { answer: key };
      }
      return undefined;
    },
  };
}
