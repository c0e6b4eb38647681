import { mintRequest } from '../../tenant.ts';
import type { Attack } from '../attack.ts';
import { atInterval, inParallel, repeat } from '../pace.ts';

const FLOODED = 6;
const HOT = 4;
const LANES = 64;
/** The interval at which the rate limit admits a request of one API key. */
const RATE_MS = 10;

/** Uses up the checks of secrets, which API keys that were not verified yet need. */
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

/** Uses up the hashing of new secrets. */
export const minting: Attack = {
  name: 'minting',
  sends: `new API keys, ${LANES} at a time, again and again`,
  async prepare({ tenant, stopped, send }) {
    const lane = () => repeat(stopped, () => send(mintRequest(tenant.accessToken)));
    return () => inParallel(LANES, lane);
  },
};

/** Uses up the process's time, and the commits of one key's count. */
export const hotKey: Attack = {
  name: 'one hot key',
  sends: `encryption under one \`wrapped\` key, 100 a second through each of ${HOT} API keys`,
  async prepare({ tenant, url, stopped, send }) {
    const key = await tenant.createKey(url, 'wrapped');
    const tokens = await inParallel(HOT, () => tenant.mint());
    const body = { plaintext: Buffer.alloc(1_024).toString('base64') };
    const encrypt = (token: string) => send({ method: 'POST', path: `/v1/keys/${key}/encrypt`, token, body });
    return () => atInterval(RATE_MS, stopped, () => tokens.map(encrypt));
  },
};
