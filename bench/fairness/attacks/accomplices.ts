import { z } from 'zod';
import { call } from '../../http-client.ts';
import { createRequest } from '../../tenant.ts';
import type { Attack } from '../attack.ts';
import { atInterval, inParallel } from '../pace.ts';

const API_KEYS = 4;
const KEYS = 4;
const BATCH = 100;
/** The interval, in milliseconds, in which the rate limit allows each API key one request. */
const RATE_MS = 10;

/** Tries to exhaust the KMS operations. A failed operation is not billed. */
export const garbageOfTwoTenants: Attack = {
  name: 'garbage of two tenants',
  sends: `batches of ${BATCH} invalid values to Transit's \`decrypt\` with a \`software\` key, one batch a second with each of ${API_KEYS} API keys of two tenants`,
  async prepare({ tenant, makeAccomplice, url, stopped, send }) {
    const ciphertext = `vault:v1:${Buffer.alloc(64).toString('base64')}`;
    const body = { batch_input: Array(BATCH).fill({ ciphertext }) };
    const tenants = [tenant, await makeAccomplice()];
    const minted = tenants.map((one) => inParallel(API_KEYS, () => one.mint()));
    const tokens = (await Promise.all(minted)).flat();
    for (const { apiKey: token } of tenants) {
      await call(url, { method: 'POST', path: '/v1/transit/keys/garbage', token, body: {} }, z.unknown());
    }
    const decrypt = (token: string) => send({ method: 'POST', path: '/v1/transit/decrypt/garbage', token, body });
    return () => atInterval(1_000 / tokens.length, stopped, (n) => decrypt(tokens[n % tokens.length] ?? ''));
  },
};

/** Tries to exhaust the KMS's write quota, also with requests that the service refuses. */
export const changesOfAccomplices: Attack = {
  name: 'changes of accomplices',
  sends: `rotations of ${KEYS} \`software\` keys by each of two tenants, and creations with a name that is taken by a third tenant, 100 a second by each`,
  async prepare({ tenant, makeAccomplice, url, stopped, send }) {
    const attacks = await Promise.all(
      [tenant, await makeAccomplice()].map(async ({ apiKey: token, createKey }) => {
        const keys = await inParallel(KEYS, () => createKey(url, 'software'));
        return (n: number) => send({ method: 'POST', path: `/v1/keys/${keys[n % KEYS]}/rotate`, token });
      }),
    );
    const taken = createRequest((await makeAccomplice()).apiKey, 'software');
    await call(url, taken, z.unknown());
    attacks.push(() => send(taken));
    return () => atInterval(RATE_MS, stopped, (n) => attacks.map((attack) => attack(n)));
  },
};
