import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { list, outcome, text } from '../../support/client.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});

const listed = async (client: Client, path = '/v1/keys', field = 'id') =>
  list(await client.send('GET', path)).map((line) => line[field]);

/** Every route about one key that an API key may call. */
const ROUTES: readonly (readonly [string, string, unknown?])[] = [
  ['GET', ''],
  ['PATCH', '', { name: 'taken over' }],
  ['DELETE', ''],
  ['POST', '/rotate'],
  ['POST', '/restore'],
  ['POST', '/encrypt', { plaintext: 'AAAA' }],
  ['POST', '/decrypt', { ciphertext: 'AAAA' }],
  ['POST', '/wrap', {}],
  ['POST', '/unwrap', { wrapped: 'AAAA' }],
  ['POST', '/rewrap', { ciphertext: 'AAAA' }],
  ['GET', '/audit'],
];

/** The outcomes of all the routes for a key, each once. */
async function outcomes(client: Client, id: string): Promise<string[]> {
  const said = new Set<string>();
  for (const [method, path, body] of ROUTES)
    said.add(outcome(await client.send(method, `/v1/keys/${id}${path}`, body)));
  return [...said];
}

describe('an API key with a key list', () => {
  test('gets 403 key_not_allowed for any other id, whatever it names', async () => {
    const key = await tenant.createKey('wrapped');
    const stranger = await makeTenant(stack);
    const other = text(await tenant.console.send('POST', '/v1/containers', { name: randomUUID() }), 'id');
    const elsewhere = { name: randomUUID(), tier: 'wrapped', container_id: other };
    const destroyed = await tenant.createKey('wrapped');
    await tenant.console.send('POST', `/v1/keys/${destroyed}/destroy`);
    const { client } = await tenant.mint({ key_ids: [key] });
    const ids = {
      sibling: await tenant.createKey('wrapped'),
      'of another container': text(await tenant.console.send('POST', '/v1/keys', elsewhere), 'id'),
      'of another tenant': await stranger.createKey('wrapped'),
      destroyed,
      'that never was': randomUUID(),
    };
    for (const [which, id] of Object.entries(ids)) {
      expect([which, await outcomes(client, id)]).toEqual([which, ['403 key_not_allowed']]);
    }
    expect(outcome(await client.send('GET', '/v1/keys/not-a-uuid'))).toBe('404 not_found');
  });

  test('may use its keys, listed in either case, for its allowed actions only', async () => {
    const key = await tenant.createKey('wrapped');
    const { client } = await tenant.mint({ key_ids: [key.toUpperCase()], allowed_actions: ['encrypt'] });
    const encrypt = (id: string) => client.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AAAA' });
    expect(outcome(await encrypt(key))).toBe('200');
    expect(outcome(await encrypt(key.toUpperCase()))).toBe('200');
    expect(outcome(await client.send('POST', `/v1/keys/${key}/rotate`))).toBe('403 action_not_allowed');
    expect(outcome(await client.send('POST', `/v1/keys/${randomUUID()}/rotate`))).toBe('403 key_not_allowed');
  });

  test('sees only its keys in lists and usage, oldest first whatever the list’s order', async () => {
    const [first, second] = [await tenant.createKey('wrapped'), await tenant.createKey('wrapped')];
    await tenant.createKey('wrapped');
    const { client } = await tenant.mint({ key_ids: [second, first] });
    await tenant.api.send('DELETE', `/v1/keys/${second}`);
    expect(await listed(client)).toEqual([first, second]);
    expect(await listed(client, '/v1/usage', 'key_id')).toEqual([first, second]);
  });

  test('never reaches more when its keys are destroyed; the list keeps their ids', async () => {
    const [first, second] = [await tenant.createKey('wrapped'), await tenant.createKey('wrapped')];
    const other = await tenant.createKey('wrapped');
    const { client, id } = await tenant.mint({ key_ids: [first, second] });
    await client.send('POST', `/v1/keys/${first}/encrypt`, { plaintext: 'AAAA' });
    for (const key of [first, second]) await tenant.console.send('POST', `/v1/keys/${key}/destroy`);
    expect(outcome(await client.send('GET', `/v1/keys/${first}`))).toBe('404 not_found');
    expect(outcome(await client.send('GET', `/v1/keys/${other}`))).toBe('403 key_not_allowed');
    expect(outcome(await client.send('POST', '/v1/keys', { name: 'x', tier: 'wrapped' }))).toBe('403 key_not_allowed');
    expect(await listed(client)).toEqual([]);
    expect(await listed(client, '/v1/usage', 'key_id')).toEqual([first]);
    expect(outcome(await client.send('GET', `/v1/keys/${first}/audit`))).toBe('200');
    const renamed = await tenant.console.send('PATCH', `/v1/api-keys/${id}`, { name: 'renamed' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'renamed', key_ids: [first, second] } });
  });
});

describe('a key list', () => {
  test('has 1 to 100 keys', { timeout: 120_000 }, async () => {
    const { api, mint, console } = await makeTenant(stack);
    const keys: string[] = [];
    for (let made = 0; made < 101; made++) {
      keys.push(text(await api.send('POST', '/v1/keys', { name: `key ${made}`, tier: 'wrapped' }), 'id'));
    }
    const { id, client } = await mint();
    const hold = async (key_ids: readonly string[]) =>
      outcome(await console.send('PATCH', `/v1/api-keys/${id}`, { key_ids }));
    expect(await hold(keys.slice(1))).toBe('200');
    expect(await hold(keys)).toBe('400 invalid_key_ids');
    expect(await hold([])).toBe('400 invalid_key_ids');
    expect(await listed(client)).toEqual(keys.slice(1));
  });

  test('holds each key once, however often within its 100 entries and in whatever case it is named', async () => {
    const [first, second] = [await tenant.createKey('wrapped'), await tenant.createKey('wrapped')];
    const { id } = await tenant.mint();
    const key_ids = [first, second, first, first.toUpperCase()];
    const hold = (ids: readonly string[]) => tenant.console.send('PATCH', `/v1/api-keys/${id}`, { key_ids: ids });
    expect(await hold(key_ids)).toMatchObject({ status: 200, body: { key_ids: [first, second] } });
    expect(outcome(await hold(Array(100).fill(first)))).toBe('200');
    expect(outcome(await hold(Array(101).fill(first)))).toBe('400 invalid_key_ids');
  });

  test('takes a key pending deletion, which is live', async () => {
    const key = await tenant.createKey('wrapped');
    await tenant.api.send('DELETE', `/v1/keys/${key}`);
    const { client } = await tenant.mint({ key_ids: [key] });
    expect(await listed(client)).toEqual([key]);
    expect(outcome(await client.send('POST', `/v1/keys/${key}/restore`))).toBe('200');
  });
});
