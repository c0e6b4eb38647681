import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { type Answer, list, outcome, text } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { ALL_ACTIONS, type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
type Action = (typeof ALL_ACTIONS)[number];

const tenant = await makeTenant(stack);
const { api, console, createKey, mint } = tenant;
const key = `/v1/keys/${await createKey('wrapped')}`;
const changed = `/v1/keys/${await createKey('wrapped')}`;
const going = `/v1/keys/${await createKey('wrapped')}`;
const ciphertext = text(await api.send('POST', `${key}/encrypt`, { plaintext: 'AA==' }), 'ciphertext');
const wrapped = text(await api.send('POST', `${key}/wrap`, {}), 'wrapped');

/** The route that each action is for, with a good request. */
const REQUESTS: Record<Action, (client: Client) => Promise<Answer>> = {
  encrypt: (client) => client.send('POST', `${key}/encrypt`, { plaintext: 'AA==' }),
  decrypt: (client) => client.send('POST', `${key}/decrypt`, { ciphertext }),
  wrap: (client) => client.send('POST', `${key}/wrap`, {}),
  unwrap: (client) => client.send('POST', `${key}/unwrap`, { wrapped }),
  rewrap: (client) => client.send('POST', `${key}/rewrap`, { ciphertext }),
  rotate: (client) => client.send('POST', `${changed}/rotate`),
  create: (client) => client.send('POST', '/v1/keys', { name: randomUUID(), tier: 'wrapped' }),
  rename: (client) => client.send('PATCH', changed, { name: randomUUID() }),
  delete: (client) => client.send('DELETE', going),
  restore: async (client) => {
    await api.send('DELETE', going);
    return client.send('POST', `${going}/restore`);
  },
};
const SUCCESS: Record<Action, string> = {
  encrypt: '200',
  decrypt: '200',
  wrap: '200',
  unwrap: '200',
  rewrap: '200',
  rotate: '200',
  create: '201',
  rename: '200',
  delete: '200',
  restore: '200',
};

async function outcomesOf(client: Client, actions: readonly Action[]): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  for (const action of actions) outcomes[action] = outcome(await REQUESTS[action](client));
  return outcomes;
}

function expectedFor(isAllowed: (action: Action) => boolean): Record<string, string> {
  const of = (action: Action) => (isAllowed(action) ? SUCCESS[action] : '403 action_not_allowed');
  return Object.fromEntries(ALL_ACTIONS.map((action) => [action, of(action)]));
}

describe.each(ALL_ACTIONS)('%s', (action) => {
  test('opens only its own route, and none of the other nine', async () => {
    const { client } = await mint({ allowed_actions: [action] });
    expect(await outcomesOf(client, ALL_ACTIONS)).toEqual(expectedFor((other) => other === action));
  });

  test('is what its route services: the other nine do not open it', async () => {
    const { client } = await mint({ allowed_actions: ALL_ACTIONS.filter((other) => other !== action) });
    expect(await outcomesOf(client, ALL_ACTIONS)).toEqual(expectedFor((other) => other !== action));
  });

  test('given from the console, and taken again, it counts from the next request', async () => {
    const { id, client } = await mint({ allowed_actions: [] });
    const give = (allowed_actions: readonly Action[]) =>
      console.send('PATCH', `/v1/api-keys/${id}`, { allowed_actions });
    expectRefusal(await REQUESTS[action](client), '403 action_not_allowed');
    await give([action]);
    expect(outcome(await REQUESTS[action](client))).toBe(SUCCESS[action]);
    await give([]);
    expectRefusal(await REQUESTS[action](client), '403 action_not_allowed');
  });
});

test('a refused action does nothing', async () => {
  const { client } = await mint({ allowed_actions: [] });
  await api.send('POST', `${going}/restore`);
  const before = await console.send('GET', '/v1/keys');
  for (const action of ALL_ACTIONS.filter((each) => each !== 'restore')) await REQUESTS[action](client);
  expect((await console.send('GET', '/v1/keys')).body).toEqual(before.body);
});

test('reading needs no action', async () => {
  const { client } = await mint({ allowed_actions: [] });
  for (const path of ['/v1/keys', key, `${key}/audit`, '/v1/usage']) {
    expect((await client.send('GET', path)).status, path).toBe(200);
  }
});

test('a session needs none of the five that it can use', async () => {
  const own = ['rotate', 'create', 'rename', 'delete', 'restore'] as const;
  expect(await outcomesOf(console, own)).toEqual(Object.fromEntries(own.map((action) => [action, SUCCESS[action]])));
});

test('an API key that may create keys makes them only in its own container', async () => {
  const container_id = text(await console.send('POST', '/v1/containers', { name: randomUUID() }), 'id');
  const { client } = await mint({ container_id, allowed_actions: ['create'] });
  const made = await client.send('POST', '/v1/keys', { name: 'here', tier: 'wrapped' });
  expect(made.body).toMatchObject({ container_id });
  expect(list(await client.send('GET', '/v1/keys'))).toMatchObject([{ name: 'here' }]);
});
