import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { type Client, makeTenant } from '../support/tenant.ts';
import { type Race, type RaceRequest, sending } from './race.ts';

/** A kind of object whose names are unique. */
interface Kind {
  readonly object: string;
  readonly path: string;
  /** The fields of a request to create an object, without the name. */
  readonly rest: object;
  readonly takenOutcome: string;
}

const KINDS: readonly Kind[] = [
  { object: 'key', path: '/v1/keys', rest: { tier: 'wrapped' }, takenOutcome: '409 key_exists' },
  { object: 'container', path: '/v1/containers', rest: {}, takenOutcome: '409 container_exists' },
  {
    object: 'firewall',
    path: '/v1/firewalls',
    rest: { allowed_ips: ['192.0.2.1'] },
    takenOutcome: '409 firewall_exists',
  },
];

/** A way to give an object a name. `prepare` returns the request, which gets `successStatus` if it succeeds. */
interface Naming {
  readonly verb: 'created' | 'renamed';
  readonly successStatus: string;
  readonly prepare: (client: Client, kind: Kind, name: string) => Promise<RaceRequest>;
}

const CREATION: Naming = {
  verb: 'created',
  successStatus: '201',
  prepare: async (client, { path, rest }, name) => sending(client, 'POST', path, { name, ...rest }),
};
const RENAMING: Naming = {
  verb: 'renamed',
  successStatus: '200',
  prepare: async (client, { path, rest }, name) => {
    const id = text(await client.send('POST', path, { name: randomUUID(), ...rest }), 'id');
    return sending(client, 'PATCH', `${path}/${id}`, { name });
  },
};

/** Returns a race of two requests that give different objects the same name. Exactly one of them succeeds. */
function nameRace(kind: Kind, first: Naming, second: Naming): Race {
  return {
    name: `if two ${kind.object}s are given the same name at once (one ${first.verb}, one ${second.verb}), exactly one request succeeds`,
    allowed: [`${first.successStatus} | ${kind.takenOutcome}`, `${kind.takenOutcome} | ${second.successStatus}`],
    setUp: async ({ secondProcess }) => {
      const { console } = await makeTenant(secondProcess);
      return async () => {
        const name = randomUUID();
        const requests = [await first.prepare(console, kind, name), await second.prepare(console, kind, name)];
        const check = async () => {
          const named = list(await console.send('GET', kind.path)).filter((one) => one.name === name);
          expect(named).toHaveLength(1);
          expect(outcome(await console.send('POST', kind.path, { name, ...kind.rest }))).toBe(kind.takenOutcome);
        };
        return { requests, check };
      };
    },
  };
}

export const nameRaces: readonly Race[] = KINDS.flatMap((kind) => [
  nameRace(kind, CREATION, CREATION),
  nameRace(kind, CREATION, RENAMING),
  nameRace(kind, RENAMING, RENAMING),
]);
