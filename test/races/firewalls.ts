import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { type Client, makeTenant, type Tenant } from '../support/tenant.ts';
import { type Contender, type Race, sending } from './race.ts';

/** How an API key comes to be held to a firewall: the answer, and what sets it up. */
interface Holding {
  readonly how: string;
  readonly held: string;
  readonly prepare: (tenant: Tenant, firewallId: string) => Promise<Contender>;
}

const HOLDINGS: readonly Holding[] = [
  {
    how: 'a new API key held to it',
    held: '201',
    prepare: async ({ console }, firewall_id) =>
      sending(console, 'POST', '/v1/api-keys', { name: randomUUID(), firewall_id }),
  },
  {
    how: 'an API key that is there held to it',
    held: '200',
    prepare: async ({ console, mint }, firewall_id) =>
      sending(console, 'PATCH', `/v1/api-keys/${(await mint()).id}`, { firewall_id }),
  },
];

/** The API keys that are held to the firewall. */
async function heldTo(console: Client, firewallId: string): Promise<unknown[]> {
  const apiKeys = list(await console.send('GET', '/v1/api-keys'));
  return apiKeys.filter(({ firewall_id }) => firewall_id === firewallId);
}

/** Either the firewall is left with the API key held to it, or it is gone and holds none. */
export const firewallRaces: readonly Race[] = HOLDINGS.map(({ how, held, prepare }) => ({
  name: `a firewall is deleted and ${how}`,
  allowed: [`409 firewall_in_use | ${held}`, '204 | 400 invalid_firewall'],
  open: async ({ there }) => {
    const tenant = await makeTenant(there);
    const { console } = tenant;
    return async () => {
      const body = { name: randomUUID(), allowed_ips: ['127.0.0.1'] };
      const id = text(await console.send('POST', '/v1/firewalls', body), 'id');
      const contenders = [sending(console, 'DELETE', `/v1/firewalls/${id}`), await prepare(tenant, id)];
      const check = async ([deleted]: readonly string[]) => {
        const isGone = deleted === '204';
        expect(outcome(await console.send('GET', `/v1/firewalls/${id}`))).toBe(isGone ? '404 not_found' : '200');
        expect(await heldTo(console, id)).toHaveLength(isGone ? 0 : 1);
      };
      return { contenders, check };
    };
  },
}));
