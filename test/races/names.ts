import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { type Client, makeTenant } from '../support/tenant.ts';
import { type Contender, type Race, sending } from './race.ts';

/** A kind of object whose names are unique. */
interface Kind {
  readonly one: string;
  readonly path: string;
  /** The fields of a creation besides the name. */
  readonly rest: object;
  readonly taken: string;
}

const KINDS: readonly Kind[] = [
  { one: 'key', path: '/v1/keys', rest: { tier: 'wrapped' }, taken: '409 key_exists' },
  { one: 'container', path: '/v1/containers', rest: {}, taken: '409 container_exists' },
  { one: 'firewall', path: '/v1/firewalls', rest: { allowed_ips: ['192.0.2.1'] }, taken: '409 firewall_exists' },
];

/** A request that gives an object a name. `got` is the status on success. */
interface Way {
  readonly verb: 'created' | 'renamed';
  readonly got: string;
  readonly prepare: (client: Client, kind: Kind, name: string) => Promise<Contender>;
}

const CREATION: Way = {
  verb: 'created',
  got: '201',
  prepare: async (client, { path, rest }, name) => sending(client, 'POST', path, { name, ...rest }),
};
const RENAMING: Way = {
  verb: 'renamed',
  got: '200',
  prepare: async (client, { path, rest }, name) => {
    const id = text(await client.send('POST', path, { name: randomUUID(), ...rest }), 'id');
    return sending(client, 'PATCH', `${path}/${id}`, { name });
  },
};

/** Two requests that give different objects the same name, of which exactly one succeeds. */
function nameRace(kind: Kind, first: Way, second: Way): Race {
  return {
    name: `if two ${kind.one}s are given the same name at once (one ${first.verb}, one ${second.verb}), exactly one request succeeds`,
    allowed: [`${first.got} | ${kind.taken}`, `${kind.taken} | ${second.got}`],
    open: async ({ there }) => {
      const { console } = await makeTenant(there);
      return async () => {
        const name = randomUUID();
        const contenders = [await first.prepare(console, kind, name), await second.prepare(console, kind, name)];
        const check = async () => {
          const named = list(await console.send('GET', kind.path)).filter((one) => one.name === name);
          expect(named).toHaveLength(1);
          expect(outcome(await console.send('POST', kind.path, { name, ...kind.rest }))).toBe(kind.taken);
        };
        return { contenders, check };
      };
    },
  };
}

export const nameRaces: readonly Race[] = KINDS.flatMap((kind) => [
  nameRace(kind, CREATION, CREATION),
  nameRace(kind, CREATION, RENAMING),
  nameRace(kind, RENAMING, RENAMING),
]);
