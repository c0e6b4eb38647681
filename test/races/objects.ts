import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { BOUNDED, countsOf, setCount } from '../support/counts.ts';
import { type Client, makeContainer, makeFirewall, makeTenant, type Tenant } from '../support/tenant.ts';
import { combinations, type Race, type RaceRequest, sending } from './race.ts';

/** Kinds of objects with unique names. `rest` are the fields of a request to create an object, without the name. */
const KINDS = [
  { object: 'key', path: '/v1/keys', rest: { tier: 'wrapped' }, taken: '409 key_exists' },
  { object: 'container', path: '/v1/containers', rest: {}, taken: '409 container_exists' },
  { object: 'firewall', path: '/v1/firewalls', rest: { allowed_ips: ['192.0.2.1'] }, taken: '409 firewall_exists' },
];
type Kind = (typeof KINDS)[number];

/** The ways to give an object a name. `prepare` returns the request, which gets `status` if it succeeds. */
const CREATION = {
  ...{ verb: 'created', status: '201' },
  prepare: async (client: Client, { path, rest }: Kind, name: string) =>
    sending(client, 'POST', path, { name, ...rest }),
};
const RENAMING: typeof CREATION = {
  ...{ verb: 'renamed', status: '200' },
  prepare: async (client, { path, rest }, name) => {
    const id = text(await client.send('POST', path, { name: randomUUID(), ...rest }), 'id');
    return sending(client, 'PATCH', `${path}/${id}`, { name });
  },
};

/** Returns a race of two requests that give different objects the same name. Exactly one of them succeeds. */
function nameRace(kind: Kind, first: typeof CREATION, second: typeof CREATION): Race {
  return {
    name: `if two ${kind.object}s are given the same name at once (one ${first.verb}, one ${second.verb}), exactly one request succeeds`,
    allowed: [`${first.status} | ${kind.taken}`, `${kind.taken} | ${second.status}`],
    round: async (_, { console }) => {
      const name = randomUUID();
      const requests = [await first.prepare(console, kind, name), await second.prepare(console, kind, name)];
      const check = async () => {
        const named = list(await console.send('GET', kind.path)).filter((one) => one.name === name);
        expect(named).toHaveLength(1);
        expect(outcome(await console.send('POST', kind.path, { name, ...kind.rest }))).toBe(kind.taken);
      };
      return { requests, check };
    },
  };
}

const nameRaces: readonly Race[] = KINDS.flatMap((kind) => [
  nameRace(kind, CREATION, CREATION),
  nameRace(kind, CREATION, RENAMING),
  nameRace(kind, RENAMING, RENAMING),
]);

/** Kinds of objects in a container, each with the fields of a create request besides name and container. */
const CONTENTS = [
  ['a key', '/v1/keys', { tier: 'wrapped' }],
  ['an API key', '/v1/api-keys', {}],
  ['a firewall', '/v1/firewalls', { allowed_ips: ['192.0.2.1'] }],
] as const;

/** After the race, either both the container and the object in it exist, or neither does. */
const containerRaces: readonly Race[] = CONTENTS.map(([kind, path, rest]) => ({
  name: `if a container is deleted while ${kind} is created in it, exactly one of the two requests succeeds`,
  allowed: ['409 container_not_empty | 201', '204 | 400 invalid_container'],
  round: async (_, { console }) => {
    const container_id = await makeContainer({ console });
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
  },
}));

/** The ways to assign a firewall to an API key: the API key, the status of a success, and the request. */
const ASSIGNMENTS: [string, string, (tenant: Tenant, firewall_id: string) => Promise<RaceRequest>][] = [
  [
    'a new API key',
    '201',
    async ({ console }, firewall_id) => sending(console, 'POST', '/v1/api-keys', { name: randomUUID(), firewall_id }),
  ],
  [
    'an existing API key',
    '200',
    async ({ console, mint }, firewall_id) =>
      sending(console, 'PATCH', `/v1/api-keys/${(await mint()).id}`, { firewall_id }),
  ],
];

/**
 * After the race, either the firewall exists and an API key uses it, or the firewall is deleted and no API key uses it.
 */
const firewallRaces: readonly Race[] = ASSIGNMENTS.map(([subject, successStatus, prepare]) => ({
  name: `if a firewall is deleted while ${subject} is given the firewall, exactly one of the two requests succeeds`,
  allowed: [`409 firewall_in_use | ${successStatus}`, '204 | 400 invalid_firewall'],
  round: async (_, tenant) => {
    const { console } = tenant;
    const id = await makeFirewall(tenant, { allowed_ips: ['127.0.0.1'] });
    const requests = [sending(console, 'DELETE', `/v1/firewalls/${id}`), await prepare(tenant, id)];
    const check = async ([deleted]: readonly string[]) => {
      const isGone = deleted === '204';
      expect(outcome(await console.send('GET', `/v1/firewalls/${id}`))).toBe(isGone ? '404 not_found' : '200');
      const apiKeys = list(await console.send('GET', '/v1/api-keys'));
      expect(apiKeys.filter(({ firewall_id }) => firewall_id === id)).toHaveLength(isGone ? 0 : 1);
    };
    return { requests, check };
  },
}));

const LIMIT_REACHED = '409 limit_reached';

const twoCreations: readonly Race[] = BOUNDED.map(({ things, counter, most, path, body }) => ({
  name: `if the limit on ${things} allows one more, exactly one of two simultaneous creations succeeds`,
  allowed: [`201 | ${LIMIT_REACHED}`, `${LIMIT_REACHED} | 201`],
  round: async ({ stackProcess, secondProcess }) => {
    const { id, console } = await makeTenant(secondProcess);
    const before = list(await console.send('GET', path)).length;
    await setCount(stackProcess, id, counter, most - 1);
    const requests = [1, 2].map(() => sending(console, 'POST', path, body()));
    const check = async () => {
      expect(list(await console.send('GET', path))).toHaveLength(before + 1);
      expect((await countsOf(stackProcess, id))[counter]).toBe(most);
      expect(outcome(await console.send('POST', path, body()))).toBe(LIMIT_REACHED);
    };
    return { requests, check };
  },
}));

/**
 * At the limit, a creation can succeed only after a deletion. The service may process either of the two requests first.
 */
const creationsAtLimit: readonly Race[] = BOUNDED.map(
  ({ things, counter, most, path, body, end: [method, suffix] }) => ({
    name: `if the limit on ${things} is reached, a creation succeeds only after a deletion`,
    allowed: combinations(['204'], ['201', LIMIT_REACHED]),
    round: async ({ stackProcess, secondProcess }) => {
      const { id, console } = await makeTenant(secondProcess);
      const deletedId = text(await console.send('POST', path, body()), 'id');
      await setCount(stackProcess, id, counter, most);
      const requests = [
        sending(console, method, `${path}/${deletedId}${suffix}`),
        sending(console, 'POST', path, body()),
      ];
      const check = async ([, created]: readonly string[]) => {
        expect((await countsOf(stackProcess, id))[counter]).toBe(created === '201' ? most : most - 1);
      };
      return { requests, check };
    },
  }),
);

const FREE_KEY_EXISTS = '409 free_key_exists';

const freeKey = () => ({ name: randomUUID(), tier: 'free' });

/** Returns the ids of the tenant’s keys. */
async function liveKeys(client: Client): Promise<string[]> {
  return list(await client.send('GET', '/v1/keys')).map(({ id }) => String(id));
}

/**
 * Expects that a tenant with a free key cannot create another free key, and that a tenant without a free key can. Then
 * destroys the tenant’s keys.
 */
async function expectOneFreeKey(client: Client): Promise<void> {
  const ids = await liveKeys(client);
  expect(ids.length).toBeLessThanOrEqual(1);
  const another = outcome(await client.send('POST', '/v1/keys', freeKey()));
  expect(another).toBe(ids.length === 1 ? FREE_KEY_EXISTS : '201');
  for (const id of await liveKeys(client)) await client.send('POST', `/v1/keys/${id}/destroy`);
}

const freeKeyRaces: readonly Race[] = [
  {
    name: 'exactly one of two simultaneous requests to create a free key succeeds',
    allowed: [`201 | ${FREE_KEY_EXISTS}`, `${FREE_KEY_EXISTS} | 201`],
    round: async ({ secondProcess }) => {
      const { console } = await makeTenant(secondProcess, 'none');
      const requests = [1, 2].map(() => sending(console, 'POST', '/v1/keys', freeKey()));
      return { requests, check: () => expectOneFreeKey(console) };
    },
  },
  {
    name: 'if a free key is destroyed while another is created, the creation succeeds only after the destruction',
    allowed: combinations(['204'], ['201', FREE_KEY_EXISTS]),
    round: async ({ secondProcess }) => {
      const { console, createKey } = await makeTenant(secondProcess, 'none');
      const destroyed = await createKey('free');
      const requests = [
        sending(console, 'POST', `/v1/keys/${destroyed}/destroy`),
        sending(console, 'POST', '/v1/keys', freeKey()),
      ];
      const check = async ([, created]: readonly string[]) => {
        expect(await liveKeys(console)).toHaveLength(created === '201' ? 1 : 0);
        await expectOneFreeKey(console);
      };
      return { requests, check };
    },
  },
];

export const objectRaces: readonly Race[] = [
  nameRaces,
  containerRaces,
  firewallRaces,
  twoCreations,
  creationsAtLimit,
  freeKeyRaces,
].flat();
