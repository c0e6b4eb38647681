import { expect } from 'vitest';
import { keyEventsOfTenant } from '../support/audit.ts';
import { outcome } from '../support/client.ts';
import { Client, makeTenant } from '../support/tenant.ts';
import { combinations, type Race, type RaceRequest, sending } from './race.ts';

const REFUSED = '401 unauthorized';
const DATA = { plaintext: 'AAAA' };

export const revocationRaces: readonly Race[] = [
  {
    name: 'after an API key is revoked, no process accepts it',
    allowed: combinations([`204, then ${REFUSED} and ${REFUSED}`], ['200', REFUSED], ['200', REFUSED]),
    setUp: async ({ stackProcess, secondProcess }) => {
      const { console, createKey, mint } = await makeTenant(secondProcess);
      const path = `/v1/keys/${await createKey('wrapped')}/encrypt`;
      return async () => {
        const { id, client } = await mint();
        const use = sending(client, 'POST', path, DATA);
        for (const process of [stackProcess, secondProcess]) expect(await use(process)).toBe('200');
        const revocation: RaceRequest = async (at) => {
          const revoked = await new Client(at, console.token).send('DELETE', `/v1/api-keys/${id}`);
          return `${outcome(revoked)}, then ${(await Promise.all([use(stackProcess), use(secondProcess)])).join(' and ')}`;
        };
        const check = async ([, ...uses]: readonly string[]) => {
          const rows = (await keyEventsOfTenant(console)).filter(({ api_key_id }) => api_key_id === id);
          expect(rows).toHaveLength(2 + uses.filter((use) => use === '200').length);
        };
        return { requests: [revocation, use, use], check };
      };
    },
  },
  {
    name: 'an API key that is revoked and changed at the same time stays revoked',
    allowed: combinations(['204'], ['200', '404 not_found']),
    setUp: async ({ secondProcess }) => {
      const { console, mint } = await makeTenant(secondProcess);
      return async () => {
        const { id, client } = await mint();
        const path = `/v1/api-keys/${id}`;
        const requests = [sending(console, 'DELETE', path), sending(console, 'PATCH', path, { name: 'another' })];
        const check = async () => {
          expect(outcome(await console.send('GET', path))).toBe('404 not_found');
          expect(outcome(await client.send('GET', '/v1/keys'))).toBe(REFUSED);
        };
        return { requests, check };
      };
    },
  },
];
