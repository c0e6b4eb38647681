import type { Attack } from '../attack.ts';
import { copyDocument } from '../copies.ts';
import { inParallel, repeat } from '../pace.ts';

const KEYS = 10_000;
const IN_PARALLEL = 4;

/** Tries to exhaust processor time and Firestore reads. */
export const largeLists: Attack = {
  name: 'large lists',
  sends: `reads of the keys, usage, statement and audit log of a tenant with ${KEYS.toLocaleString('en')} keys, always ${IN_PARALLEL} of each at a time`,
  async prepare({ tenant, url, firestore, stopped, send }) {
    const key = await tenant.createKey(url, 'wrapped');
    await copyDocument(firestore, { from: 'keys', where: ['id', key], fields: ['id'], copies: KEYS - 1 });
    const get = (path: string, token: string) => ({ method: 'GET', path, token });
    const reads = [
      get('/v1/keys', tenant.apiKey),
      get('/v1/usage', tenant.apiKey),
      get('/v1/billing/statement', tenant.accessToken),
      get('/v1/audit?limit=1000', tenant.accessToken),
    ];
    const client = (read: (typeof reads)[number]) => repeat(stopped, () => send(read));
    return () => Promise.all(reads.map((read) => inParallel(IN_PARALLEL, () => client(read))));
  },
};
