import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome } from '../support/client.ts';
import { type Client, makeTenant } from '../support/tenant.ts';
import { each, type Race, sending } from './race.ts';

const TAKEN = '409 free_key_exists';

const creation = () => ({ name: randomUUID(), tier: 'free' });

/** The ids of the tenant’s keys. */
async function liveKeys(client: Client): Promise<string[]> {
  return list(await client.send('GET', '/v1/keys')).map(({ id }) => String(id));
}

/** Expects that a tenant with a free key cannot create another, and that a tenant without one can. */
async function expectOnePlace(client: Client): Promise<void> {
  const ids = await liveKeys(client);
  expect(ids.length).toBeLessThanOrEqual(1);
  const more = outcome(await client.send('POST', '/v1/keys', creation()));
  expect(more).toBe(ids.length === 1 ? TAKEN : '201');
  for (const id of await liveKeys(client)) await client.send('POST', `/v1/keys/${id}/destroy`);
}

export const freeKeyRaces: readonly Race[] = [
  {
    name: 'exactly one of two simultaneous requests to create a free key succeeds',
    allowed: [`201 | ${TAKEN}`, `${TAKEN} | 201`],
    open:
      async ({ there }) =>
      async () => {
        const { console } = await makeTenant(there, 'none');
        const contenders = [1, 2].map(() => sending(console, 'POST', '/v1/keys', creation()));
        return { contenders, check: () => expectOnePlace(console) };
      },
  },
  {
    name: 'a second free key is created only after the destruction of the first',
    allowed: each(['204'], ['201', TAKEN]),
    open:
      async ({ there }) =>
      async () => {
        const { console, createKey } = await makeTenant(there, 'none');
        const destroyed = await createKey('free');
        const contenders = [
          sending(console, 'POST', `/v1/keys/${destroyed}/destroy`),
          sending(console, 'POST', '/v1/keys', creation()),
        ];
        const check = async ([, created]: readonly string[]) => {
          expect(await liveKeys(console)).toHaveLength(created === '201' ? 1 : 0);
          await expectOnePlace(console);
        };
        return { contenders, check };
      },
  },
];
