import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { makeTenant } from '../support/tenant.ts';
import { type Race, sending } from './race.ts';

/** Kinds of objects in a container, each with the fields of a create request besides name and container. */
const KINDS = [
  ['a key', '/v1/keys', { tier: 'wrapped' }],
  ['an API key', '/v1/api-keys', {}],
  ['a firewall', '/v1/firewalls', { allowed_ips: ['192.0.2.1'] }],
] as const;

/** After the race, either both the container and the object in it exist, or neither does. */
export const containerRaces: readonly Race[] = KINDS.map(([kind, path, rest]) => ({
  name: `if a container is deleted while ${kind} is created in it, exactly one of the two requests succeeds`,
  allowed: ['409 container_not_empty | 201', '204 | 400 invalid_container'],
  setUp: async ({ secondProcess }) => {
    const { console } = await makeTenant(secondProcess);
    return async () => {
      const container_id = text(await console.send('POST', '/v1/containers', { name: randomUUID() }), 'id');
      const container = `/v1/containers/${container_id}`;
      const requests = [
        sending(console, 'DELETE', container),
        sending(console, 'POST', path, { name: randomUUID(), container_id, ...rest }),
      ];
      const check = async ([deleted]: readonly string[]) => {
        const isGone = deleted === '204';
        expect(outcome(await console.send('GET', container))).toBe(isGone ? '404 not_found' : '200');
        const inside = list(await console.send('GET', path)).filter((one) => one.container_id === container_id);
        expect(inside).toHaveLength(isGone ? 0 : 1);
      };
      return { requests, check };
    };
  },
}));
