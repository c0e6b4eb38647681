import type { Attack } from '../attack.ts';
import { again, every, sideBySide } from '../pace.ts';
import { mintRequest } from '../tenant.ts';

const FLOODED = 6;
const HOT = 4;
const LANES = 64;
/** A rate token comes back every 10 ms, to each API key. */
const RATE_MS = 10;

/** Takes the checks of secrets from API keys that have not been checked yet. */
export const wrongSecrets: Attack = {
  name: 'wrong secrets',
  sends: `wrong secrets for ${FLOODED} API keys, 100 a second for each`,
  async prepare({ tenant, stopped, send }) {
    const tokens = await sideBySide(FLOODED, () => tenant.mint());
    const wrong = (token: string, n: number) => token.slice(0, -6) + String(n % 1_000_000).padStart(6, '0');
    const list = (token: string) => send({ method: 'GET', path: '/v1/keys', token });
    return () => every(RATE_MS, stopped, (n) => tokens.map((token) => list(wrong(token, n))));
  },
};

/** Takes the hashing of new secrets. */
export const minting: Attack = {
  name: 'minting',
  sends: `new API keys, ${LANES} at a time, again and again`,
  async prepare({ tenant, stopped, send }) {
    const lane = () => again(stopped, () => send(mintRequest(tenant.accessToken)));
    return () => sideBySide(LANES, lane);
  },
};

/** Takes the process, and one key's count. */
export const hotKey: Attack = {
  name: 'one hot key',
  sends: `encryption under one \`wrapped\` key, 100 a second through each of ${HOT} API keys`,
  async prepare({ tenant, url, stopped, send }) {
    const key = await tenant.createKey(url, 'wrapped');
    const tokens = await sideBySide(HOT, () => tenant.mint());
    const body = { plaintext: Buffer.alloc(1_024).toString('base64') };
    const encrypt = (token: string) => send({ method: 'POST', path: `/v1/keys/${key}/encrypt`, token, body });
    return () => every(RATE_MS, stopped, () => tokens.map(encrypt));
  },
};
