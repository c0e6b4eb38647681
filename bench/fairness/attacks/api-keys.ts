import { mintRequest } from '../../tenant.ts';
import type { Attack } from '../attack.ts';
import { atInterval, inParallel, repeat } from '../pace.ts';

const FLOODED = 6;
const HOT = 4;
const IN_PARALLEL = 64;
/** The interval, in milliseconds, in which the rate limit allows each API key one request. */
const RATE_MS = 10;

/** Tries to exhaust the queue for checking secrets. The first use of every API key must wait in this queue. */
export const wrongSecrets: Attack = {
  name: 'wrong secrets',
  sends: `wrong secrets for ${FLOODED} API keys, 100 a second for each`,
  async prepare({ tenant, stopped, send }) {
    const tokens = await inParallel(FLOODED, () => tenant.mint());
    const wrong = (token: string, n: number) => token.slice(0, -6) + String(n % 1_000_000).padStart(6, '0');
    const list = (token: string) => send({ method: 'GET', path: '/v1/keys', token });
    return () => atInterval(RATE_MS, stopped, (n) => tokens.map((token) => list(wrong(token, n))));
  },
};

/** Tries to exhaust the queue for hashing the secrets of new API keys. */
export const minting: Attack = {
  name: 'minting',
  sends: `requests for new API keys, always ${IN_PARALLEL} at a time`,
  async prepare({ tenant, stopped, send }) {
    const client = () => repeat(stopped, () => send(mintRequest(tenant.accessToken)));
    return () => inParallel(IN_PARALLEL, client);
  },
};

/** Tries to exhaust processor time, and the commits that update the operation count of one key. */
export const hotKey: Attack = {
  name: 'one hot key',
  sends: `encryption with one \`wrapped\` key, 100 requests a second with each of ${HOT} API keys`,
  async prepare({ tenant, url, stopped, send }) {
    const key = await tenant.createKey(url, 'wrapped');
    const tokens = await inParallel(HOT, () => tenant.mint());
    const body = { plaintext: Buffer.alloc(1_024).toString('base64') };
    const encrypt = (token: string) => send({ method: 'POST', path: `/v1/keys/${key}/encrypt`, token, body });
    return () => atInterval(RATE_MS, stopped, () => tokens.map(encrypt));
  },
};
