import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

/** Stores the provider's sessions, codes and grants in memory. */
export function makeMemoryAdapter(): AdapterFactory {
  const records = new Map<string, AdapterPayload>();

  const findBy = (model: string, property: 'uid' | 'userCode', value: string): AdapterPayload | undefined => {
    for (const [id, payload] of records) if (id.startsWith(`${model}:`) && payload[property] === value) return payload;
    return undefined;
  };

  return (model: string): Adapter => ({
    upsert: async (id, payload) => {
      records.set(`${model}:${id}`, payload);
    },
    find: async (id) => records.get(`${model}:${id}`),
    findByUid: async (uid) => findBy(model, 'uid', uid),
    findByUserCode: async (userCode) => findBy(model, 'userCode', userCode),
    consume: async (id) => {
      const payload = records.get(`${model}:${id}`);
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => {
      records.delete(`${model}:${id}`);
    },
    revokeByGrantId: async (grantId) => {
      // Delete only the records of this model. The grant itself stays: while a sign-in replaces a session, it still
      // needs the grant of the old session.
      for (const [id, payload] of records) {
        if (id.startsWith(`${model}:`) && payload.grantId === grantId) records.delete(id);
      }
    },
  });
}
