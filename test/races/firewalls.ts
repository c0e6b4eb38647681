import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { type Client, makeTenant, type Tenant } from '../support/tenant.ts';
import { type Contender, type Race, sending } from './race.ts';

/** A way to give an API key a firewall. `prepare` returns the request, and `answer` is its status on success. */
interface Way {
  readonly subject: string;
  readonly answer: string;
  readonly prepare: (tenant: Tenant, firewallId: string) => Promise<Contender>;
}

const WAYS: readonly Way[] = [
  {
    subject: 'a new API key',
    answer: '201',
    prepare: async ({ console }, firewall_id) =>
      sending(console, 'POST', '/v1/api-keys', { name: randomUUID(), firewall_id }),
  },
  {
    subject: 'an existing API key',
    answer: '200',
    prepare: async ({ console, mint }, firewall_id) =>
      sending(console, 'PATCH', `/v1/api-keys/${(await mint()).id}`, { firewall_id }),
  },
];

/** Returns the API keys with this firewall. */
async function apiKeysWith(console: Client, firewallId: string): Promise<unknown[]> {
  const apiKeys = list(await console.send('GET', '/v1/api-keys'));
  return apiKeys.filter(({ firewall_id }) => firewall_id === firewallId);
}

/** Afterwards, either the firewall exists and the API key uses it, or the firewall is gone and no API key names it. */
export const firewallRaces: readonly Race[] = WAYS.map(({ subject, answer, prepare }) => ({
  name: `if a firewall is deleted while ${subject} gets the firewall, exactly one of the two requests succeeds`,
  allowed: [`409 firewall_in_use | ${answer}`, '204 | 400 invalid_firewall'],
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
        expect(await apiKeysWith(console, id)).toHaveLength(isGone ? 0 : 1);
      };
      return { contenders, check };
    };
  },
}));
