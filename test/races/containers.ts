import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { makeTenant } from '../support/tenant.ts';
import { type Race, sending } from './race.ts';

/** Things in a container, with the fields of a creation besides name and container. */
const THINGS = [
  ['a key', '/v1/keys', { tier: 'wrapped' }],
  ['an API key', '/v1/api-keys', {}],
  ['a firewall', '/v1/firewalls', { allowed_ips: ['192.0.2.1'] }],
] as const;

/** Afterwards either the container exists with the thing in it, or neither exists. */
export const containerRaces: readonly Race[] = THINGS.map(([thing, path, rest]) => ({
  name: `a container is deleted, or ${thing} is created in it, but not both`,
  allowed: ['409 container_not_empty | 201', '204 | 400 invalid_container'],
  open: async ({ there }) => {
    const { console } = await makeTenant(there);
    return async () => {
      const container_id = text(await console.send('POST', '/v1/containers', { name: randomUUID() }), 'id');
      const container = `/v1/containers/${container_id}`;
      const contenders = [
        sending(console, 'DELETE', container),
        sending(console, 'POST', path, { name: randomUUID(), container_id, ...rest }),
      ];
      const check = async ([deleted]: readonly string[]) => {
        const isGone = deleted === '204';
        expect(outcome(await console.send('GET', container))).toBe(isGone ? '404 not_found' : '200');
        const inside = list(await console.send('GET', path)).filter((one) => one.container_id === container_id);
        expect(inside).toHaveLength(isGone ? 0 : 1);
      };
      return { contenders, check };
    };
  },
}));
