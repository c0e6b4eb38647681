import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { list, outcome, text } from '../../support/client.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});

const listField = async (client: Client, path = '/v1/keys', field = 'id') =>
  list(await client.send('GET', path)).map((line) => line[field]);

test('an API key can use a key on its list only for its allowed actions, and the key’s id can be in upper or lower case', async () => {
  const key = await tenant.createKey('wrapped');
  const { client } = await tenant.mint({ key_ids: [key.toUpperCase()], allowed_actions: ['encrypt'] });
  const encrypt = (id: string) => client.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AAAA' });
  expect(outcome(await encrypt(key))).toBe('200');
  expect(outcome(await encrypt(key.toUpperCase()))).toBe('200');
  expect(outcome(await client.send('POST', `/v1/keys/${key}/rotate`))).toBe('403 action_not_allowed');
  expect(outcome(await client.send('POST', `/v1/keys/${randomUUID()}/rotate`))).toBe('403 key_not_allowed');
});

test('after all keys on its list are destroyed, an API key still cannot use other keys, and its list keeps the ids', async () => {
  const [first, second] = [await tenant.createKey('wrapped'), await tenant.createKey('wrapped')];
  const other = await tenant.createKey('wrapped');
  const { client, id } = await tenant.mint({ key_ids: [first, second] });
  await client.send('POST', `/v1/keys/${first}/encrypt`, { plaintext: 'AAAA' });
  for (const key of [first, second]) await tenant.console.send('POST', `/v1/keys/${key}/destroy`);
  expect(outcome(await client.send('GET', `/v1/keys/${first}`))).toBe('404 not_found');
  expect(outcome(await client.send('GET', `/v1/keys/${other}`))).toBe('403 key_not_allowed');
  expect(outcome(await client.send('POST', '/v1/keys', { name: 'x', tier: 'wrapped' }))).toBe('403 key_not_allowed');
  expect(await listField(client)).toEqual([]);
  expect(await listField(client, '/v1/usage', 'key_id')).toEqual([first]);
  expect(outcome(await client.send('GET', `/v1/keys/${first}/audit`))).toBe('200');
  const renamed = await tenant.console.send('PATCH', `/v1/api-keys/${id}`, { name: 'renamed' });
  expect(renamed).toMatchObject({ status: 200, body: { name: 'renamed', key_ids: [first, second] } });
});

test('a key list has 1 to 100 keys', async () => {
  const { api, mint, console } = await makeTenant(stack);
  const keys: string[] = [];
  for (let made = 0; made < 101; made++) {
    keys.push(text(await api.send('POST', '/v1/keys', { name: `key ${made}`, tier: 'wrapped' }), 'id'));
  }
  const { id, client } = await mint();
  const setKeyIds = async (key_ids: readonly string[]) =>
    outcome(await console.send('PATCH', `/v1/api-keys/${id}`, { key_ids }));
  expect(await setKeyIds(keys.slice(1))).toBe('200');
  expect(await setKeyIds(keys)).toBe('400 invalid_key_ids');
  expect(await setKeyIds([])).toBe('400 invalid_key_ids');
  expect(await listField(client)).toEqual(keys.slice(1));
});

test('duplicate ids in a key list are dropped, whatever their letter case, but count towards the limit of 100', async () => {
  const [first, second] = [await tenant.createKey('wrapped'), await tenant.createKey('wrapped')];
  const { id } = await tenant.mint();
  const key_ids = [first, second, first, first.toUpperCase()];
  const restrictTo = (ids: readonly string[]) => tenant.console.send('PATCH', `/v1/api-keys/${id}`, { key_ids: ids });
  expect(await restrictTo(key_ids)).toMatchObject({ status: 200, body: { key_ids: [first, second] } });
  expect(outcome(await restrictTo(Array(100).fill(first)))).toBe('200');
  expect(outcome(await restrictTo(Array(101).fill(first)))).toBe('400 invalid_key_ids');
});

test('a key list can contain a key that is pending deletion', async () => {
  const key = await tenant.createKey('wrapped');
  await tenant.api.send('DELETE', `/v1/keys/${key}`);
  const { client } = await tenant.mint({ key_ids: [key] });
  expect(await listField(client)).toEqual([key]);
  expect(outcome(await client.send('POST', `/v1/keys/${key}/restore`))).toBe('200');
});
