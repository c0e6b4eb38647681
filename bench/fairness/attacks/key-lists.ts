import type { Attack } from '../attack.ts';
import { copyDocument } from '../copies.ts';
import { atInterval, inParallel } from '../pace.ts';

const API_KEYS = 100;
const LISTED = 100;
const BURST_MS = 250;

/** Tries to exhaust the concurrency limit of policy decisions: each API key needs its own call. */
export const keyLists: Attack = {
  name: 'key lists',
  sends: `encryption with ${API_KEYS} API keys, each restricted to ${LISTED} keys: all send a request at once, four times a second`,
  async prepare({ tenant, url, firestore, stopped, send }) {
    const key = await tenant.createKey(url, 'wrapped');
    const copies = await copyDocument(firestore, {
      from: 'keys',
      where: ['id', key],
      fields: ['id'],
      copies: LISTED - 1,
    });
    const tokens: string[] = [];
    for (let n = 0; n < API_KEYS; n += 10) {
      tokens.push(...(await inParallel(10, () => tenant.mint({ key_ids: [key, ...copies] }))));
    }
    const body = { plaintext: Buffer.alloc(32).toString('base64') };
    const encrypt = (token: string) => send({ method: 'POST', path: `/v1/keys/${key}/encrypt`, token, body });
    return () => atInterval(BURST_MS, stopped, () => tokens.map(encrypt));
  },
};
