import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list } from '../support/client.ts';
import { Client, signIn } from '../support/tenant.ts';
import type { Race, RaceRequest } from './race.ts';

export const signInRaces: readonly Race[] = [
  {
    name: 'a new person whose first two requests arrive at the same time gets one tenant',
    allowed: ['200 | 200'],
    setUp:
      async ({ secondProcess }) =>
      async () => {
        const session = await signIn(secondProcess, randomUUID());
        const bodies: unknown[] = [];
        const request: RaceRequest = async (at) => {
          const { status, body } = await new Client(at, session.token).send('GET', '/v1/me');
          bodies.push(body);
          return String(status);
        };
        const check = async () => {
          expect(bodies[0]).toEqual(bodies[1]);
          expect(list(await session.send('GET', '/v1/containers'))).toHaveLength(1);
        };
        return { requests: [request, request], check };
      },
  },
];
