import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { type Client, makeTenant, type Tenant } from '../support/tenant.ts';
import { type Race, type RaceRequest, sending } from './race.ts';

/**
 * A way to assign a firewall to an API key. `prepare` returns the request, which gets `successStatus` if it succeeds.
 */
interface Assignment {
  readonly subject: string;
  readonly successStatus: string;
  readonly prepare: (tenant: Tenant, firewallId: string) => Promise<RaceRequest>;
}

const ASSIGNMENTS: readonly Assignment[] = [
  {
    subject: 'a new API key',
    successStatus: '201',
    prepare: async ({ console }, firewall_id) =>
      sending(console, 'POST', '/v1/api-keys', { name: randomUUID(), firewall_id }),
  },
  {
    subject: 'an existing API key',
    successStatus: '200',
    prepare: async ({ console, mint }, firewall_id) =>
      sending(console, 'PATCH', `/v1/api-keys/${(await mint()).id}`, { firewall_id }),
  },
];

/** Returns the API keys that have the firewall. */
async function apiKeysWith(console: Client, firewallId: string): Promise<unknown[]> {
  const apiKeys = list(await console.send('GET', '/v1/api-keys'));
  return apiKeys.filter(({ firewall_id }) => firewall_id === firewallId);
}

/**
 * After the race, either the firewall exists and an API key uses it, or the firewall is deleted and no API key uses it.
 */
export const firewallRaces: readonly Race[] = ASSIGNMENTS.map(({ subject, successStatus, prepare }) => ({
  name: `if a firewall is deleted while ${subject} is given the firewall, exactly one of the two requests succeeds`,
  allowed: [`409 firewall_in_use | ${successStatus}`, '204 | 400 invalid_firewall'],
  setUp: async ({ secondProcess }) => {
    const tenant = await makeTenant(secondProcess);
    const { console } = tenant;
    return async () => {
      const body = { name: randomUUID(), allowed_ips: ['127.0.0.1'] };
      const id = text(await console.send('POST', '/v1/firewalls', body), 'id');
      const requests = [sending(console, 'DELETE', `/v1/firewalls/${id}`), await prepare(tenant, id)];
      const check = async ([deleted]: readonly string[]) => {
        const isGone = deleted === '204';
        expect(outcome(await console.send('GET', `/v1/firewalls/${id}`))).toBe(isGone ? '404 not_found' : '200');
        expect(await apiKeysWith(console, id)).toHaveLength(isGone ? 0 : 1);
      };
      return { requests, check };
    };
  },
}));
