import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome } from '../support/client.ts';
import { type Client, makeTenant } from '../support/tenant.ts';
import { combinations, type Race, sending } from './race.ts';

const TAKEN = '409 free_key_exists';

const creation = () => ({ name: randomUUID(), tier: 'free' });

/** Returns the ids of the tenant’s keys. */
async function liveKeys(client: Client): Promise<string[]> {
  return list(await client.send('GET', '/v1/keys')).map(({ id }) => String(id));
}

/**
 * Expects that a tenant with a free key cannot create another free key, and that a tenant without a free key can. Then
 * destroys the tenant’s keys.
 */
async function expectOneFreeKey(client: Client): Promise<void> {
  const ids = await liveKeys(client);
  expect(ids.length).toBeLessThanOrEqual(1);
  const another = outcome(await client.send('POST', '/v1/keys', creation()));
  expect(another).toBe(ids.length === 1 ? TAKEN : '201');
  for (const id of await liveKeys(client)) await client.send('POST', `/v1/keys/${id}/destroy`);
}

export const freeKeyRaces: readonly Race[] = [
  {
    name: 'exactly one of two simultaneous requests to create a free key succeeds',
    allowed: [`201 | ${TAKEN}`, `${TAKEN} | 201`],
    setUp:
      async ({ secondProcess }) =>
      async () => {
        const { console } = await makeTenant(secondProcess, 'none');
        const requests = [1, 2].map(() => sending(console, 'POST', '/v1/keys', creation()));
        return { requests, check: () => expectOneFreeKey(console) };
      },
  },
  {
    name: 'if a free key is destroyed while another is created, the creation succeeds only after the destruction',
    allowed: combinations(['204'], ['201', TAKEN]),
    setUp:
      async ({ secondProcess }) =>
      async () => {
        const { console, createKey } = await makeTenant(secondProcess, 'none');
        const destroyed = await createKey('free');
        const requests = [
          sending(console, 'POST', `/v1/keys/${destroyed}/destroy`),
          sending(console, 'POST', '/v1/keys', creation()),
        ];
        const check = async ([, created]: readonly string[]) => {
          expect(await liveKeys(console)).toHaveLength(created === '201' ? 1 : 0);
          await expectOneFreeKey(console);
        };
        return { requests, check };
      },
  },
];
