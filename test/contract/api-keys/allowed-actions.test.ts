import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Answer, list, outcome, text } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { ALL_ACTIONS, type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
type Action = (typeof ALL_ACTIONS)[number];

let api: Client;
let console: Client;
let mint: Tenant['mint'];
/** The paths of keys: one that no request changes, one that is renamed and rotated, and one that is deleted. */
let key: string;
let changedKey: string;
let deletedKey: string;
let ciphertext: string;
let wrapped: string;
beforeAll(async () => {
  const tenant = await makeTenant(stack);
  ({ api, console, mint } = tenant);
  const newKey = async () => `/v1/keys/${await tenant.createKey('wrapped')}`;
  [key, changedKey, deletedKey] = [await newKey(), await newKey(), await newKey()];
  ciphertext = text(await api.send('POST', `${key}/encrypt`, { plaintext: 'AA==' }), 'ciphertext');
  wrapped = text(await api.send('POST', `${key}/wrap`, {}), 'wrapped');
});

/** A valid request for each action. */
const REQUESTS: Record<Action, (client: Client) => Promise<Answer>> = {
  encrypt: (client) => client.send('POST', `${key}/encrypt`, { plaintext: 'AA==' }),
  decrypt: (client) => client.send('POST', `${key}/decrypt`, { ciphertext }),
  wrap: (client) => client.send('POST', `${key}/wrap`, {}),
  unwrap: (client) => client.send('POST', `${key}/unwrap`, { wrapped }),
  rewrap: (client) => client.send('POST', `${key}/rewrap`, { ciphertext }),
  rotate: (client) => client.send('POST', `${changedKey}/rotate`),
  create: (client) => client.send('POST', '/v1/keys', { name: randomUUID(), tier: 'wrapped' }),
  rename: (client) => client.send('PATCH', changedKey, { name: randomUUID() }),
  delete: (client) => client.send('DELETE', deletedKey),
  restore: async (client) => {
    await api.send('DELETE', deletedKey);
    return client.send('POST', `${deletedKey}/restore`);
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
  const expected = (action: Action) => (isAllowed(action) ? SUCCESS[action] : '403 action_not_allowed');
  return Object.fromEntries(ALL_ACTIONS.map((action) => [action, expected(action)]));
}

describe.each(ALL_ACTIONS)('the action %s', (action) => {
  test(`an API key with only the action ${action} gets 403 for the other nine actions`, async () => {
    const { client } = await mint({ allowed_actions: [action] });
    expect(await outcomesOf(client, ALL_ACTIONS)).toEqual(expectedFor((other) => other === action));
  });

  test(`an API key with every action except ${action} gets 403 only for ${action}`, async () => {
    const { client } = await mint({ allowed_actions: ALL_ACTIONS.filter((other) => other !== action) });
    expect(await outcomesOf(client, ALL_ACTIONS)).toEqual(expectedFor((other) => other !== action));
  });

  test(`granting or revoking the action ${action} takes effect at the next request`, async () => {
    const { id, client } = await mint({ allowed_actions: [] });
    const setActions = (allowed_actions: readonly Action[]) =>
      console.send('PATCH', `/v1/api-keys/${id}`, { allowed_actions });
    expectRefusal(await REQUESTS[action](client), '403 action_not_allowed');
    await setActions([action]);
    expect(outcome(await REQUESTS[action](client))).toBe(SUCCESS[action]);
    await setActions([]);
    expectRefusal(await REQUESTS[action](client), '403 action_not_allowed');
  });
});

test('a request that is refused with action_not_allowed changes no key', async () => {
  const { client } = await mint({ allowed_actions: [] });
  await api.send('POST', `${deletedKey}/restore`);
  const before = await console.send('GET', '/v1/keys');
  for (const action of ALL_ACTIONS.filter((each) => each !== 'restore')) await REQUESTS[action](client);
  expect((await console.send('GET', '/v1/keys')).body).toEqual(before.body);
});

test('an API key without actions can read keys, audit logs and usage', async () => {
  const { client } = await mint({ allowed_actions: [] });
  for (const path of ['/v1/keys', key, `${key}/audit`, '/v1/usage']) {
    expect((await client.send('GET', path)).status, path).toBe(200);
  }
});

test('a console session can create, rename, rotate, delete and restore keys, although it has no allowed actions', async () => {
  const own = ['rotate', 'create', 'rename', 'delete', 'restore'] as const;
  expect(await outcomesOf(console, own)).toEqual(Object.fromEntries(own.map((action) => [action, SUCCESS[action]])));
});

test('an API key creates keys in its own container', async () => {
  const container_id = text(await console.send('POST', '/v1/containers', { name: randomUUID() }), 'id');
  const { client } = await mint({ container_id, allowed_actions: ['create'] });
  const made = await client.send('POST', '/v1/keys', { name: 'here', tier: 'wrapped' });
  expect(made.body).toMatchObject({ container_id });
  expect(list(await client.send('GET', '/v1/keys'))).toMatchObject([{ name: 'here' }]);
});
