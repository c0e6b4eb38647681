import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { apiKeyObject, read } from '../support/objects.ts';
import { ALL_ACTIONS, makeTenant, type Tenant } from '../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
/** What a restriction may not name, by what it is. */
let outOfReach: Readonly<Record<'keys' | 'firewalls', readonly string[]>>;

async function makeFirewall({ console }: Tenant, container_id?: string): Promise<string> {
  const body = { name: randomUUID(), allowed_ips: ['127.0.0.1'], container_id };
  return text(await console.send('POST', '/v1/firewalls', body), 'id');
}

beforeAll(async () => {
  tenant = await makeTenant(stack);
  const stranger = await makeTenant(stack);
  const other = text(await tenant.console.send('POST', '/v1/containers', { name: 'other' }), 'id');
  const elsewhere = { name: 'elsewhere', tier: 'wrapped', container_id: other };
  const [destroyed, deleted] = [await tenant.createKey('wrapped'), await makeFirewall(tenant)];
  await tenant.console.send('POST', `/v1/keys/${destroyed}/destroy`);
  await tenant.console.send('DELETE', `/v1/firewalls/${deleted}`);
  const inOther = text(await tenant.console.send('POST', '/v1/keys', elsewhere), 'id');
  const nothing = [randomUUID(), 'x', '', ' '];
  outOfReach = {
    keys: [destroyed, inOther, await stranger.createKey('wrapped'), ...nothing],
    firewalls: [deleted, await makeFirewall(tenant, other), await makeFirewall(stranger), ...nothing],
  };
});

/** A new API key with a list and a firewall, and a way to change it. */
async function start() {
  const key = await tenant.createKey('wrapped');
  const firewall = await makeFirewall(tenant);
  const { id, client } = await tenant.mint({ key_ids: [key], firewall_id: firewall });
  const path = `/v1/api-keys/${id}`;
  const change = (body: unknown) => tenant.console.send('PATCH', path, body);
  const current = async () => {
    const { last_used_at: _, ...settings } = read(apiKeyObject, await tenant.console.send('GET', path));
    return settings;
  };
  return { key, firewall, id, client, change, current };
}

describe('PATCH of an API key', () => {
  test('changes what it names and leaves the rest', async () => {
    const { key, firewall, change, current } = await start();
    const before = await current();
    const sibling = await tenant.createKey('wrapped');
    expect(outcome(await change({ name: 'renamed' }))).toBe('200');
    expect(await current()).toEqual({ ...before, name: 'renamed' });
    expect(outcome(await change({ allowed_actions: ['wrap'] }))).toBe('200');
    expect(outcome(await change({ key_ids: [sibling, key] }))).toBe('200');
    const after = { ...before, name: 'renamed', allowed_actions: ['wrap'], key_ids: [sibling, key] };
    expect(await current()).toEqual({ ...after, firewall_id: firewall });
    const answer = await change({ key_ids: null, firewall_id: null, allowed_actions: [] });
    expect(read(apiKeyObject, answer)).toMatchObject({ key_ids: null, firewall_id: null, allowed_actions: [] });
  });

  test('with nothing in it is 200 and changes nothing', async () => {
    const { change, current } = await start();
    const before = await current();
    expect(outcome(await change({}))).toBe('200');
    expect(await current()).toEqual(before);
  });

  test.each([
    [{ container_id: randomUUID() }, '400 invalid_request'],
    [{ allowed_action: ['encrypt'] }, '400 invalid_request'],
    [{ token: 'esk' }, '400 invalid_request'],
    [{ name: 'x', id: randomUUID() }, '400 invalid_request'],
    [{ name: '' }, '400 invalid_name'],
    [{ name: 'a\u0000' }, '400 invalid_name'],
    [{ name: 1 }, '400 invalid_request'],
    [{ allowed_actions: null }, '400 invalid_allowed_actions'],
    [{ name: 'half done', allowed_actions: ['encrypt', 'destroy'] }, '400 invalid_allowed_actions'],
    [{ allowed_actions: ['Encrypt'] }, '400 invalid_allowed_actions'],
    [{ allowed_actions: 'encrypt' }, '400 invalid_request'],
    [{ allowed_actions: [1] }, '400 invalid_request'],
    [{ name: 'half done', key_ids: [] }, '400 invalid_key_ids'],
    [{ key_ids: 'x' }, '400 invalid_request'],
    [{ key_ids: [null] }, '400 invalid_request'],
    [{ key_ids: {} }, '400 invalid_request'],
    [{ firewall_id: 1 }, '400 invalid_request'],
    [[], '400 invalid_request'],
    [null, '400 invalid_request'],
  ])('%j is refused whole: %s', async (body, expected) => {
    const { change, current } = await start();
    const before = await current();
    expect(outcome(await change(body))).toBe(expected);
    expect(await current()).toEqual(before);
  });

  test('takes only live keys and firewalls of the API key’s own container', async () => {
    const { key, change, current } = await start();
    const before = await current();
    for (const id of outOfReach.keys) {
      expect([id, outcome(await change({ name: 'half done', key_ids: [key, id] }))]).toEqual([
        id,
        '400 invalid_key_ids',
      ]);
    }
    for (const firewall_id of outOfReach.firewalls) {
      const answer = outcome(await change({ allowed_actions: [], firewall_id }));
      expect([firewall_id, answer]).toEqual([firewall_id, '400 invalid_firewall']);
    }
    expect(await current()).toEqual(before);
  });

  test('takes what is in a container for an API key of that container', async () => {
    const containers = list(await tenant.console.send('GET', '/v1/containers'));
    const other = String(containers.find(({ name }) => name === 'other')?.id);
    const keys = list(await tenant.console.send('GET', '/v1/keys'));
    const inOther = String(keys.find(({ container_id }) => container_id === other)?.id);
    const { client } = await tenant.mint({ container_id: other, key_ids: [inOther] });
    expect(list(await client.send('GET', '/v1/keys')).map(({ id }) => id)).toEqual([inOther]);
  });
});

describe('each change is in force at the API key’s next request', () => {
  test('allowed actions, given and taken', async () => {
    const { key, client, change } = await start();
    const encrypt = async () => outcome(await client.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: 'AAAA' }));
    for (let round = 1; round <= 5; round++) {
      expect(await encrypt()).toBe('200');
      await change({ allowed_actions: ALL_ACTIONS.filter((action) => action !== 'encrypt') });
      expect(await encrypt()).toBe('403 action_not_allowed');
      await change({ allowed_actions: ['encrypt'] });
    }
  });

  test('the key list, moved and lifted', async () => {
    const { key, client, change } = await start();
    const sibling = await tenant.createKey('wrapped');
    const seen = async () => [
      outcome(await client.send('GET', `/v1/keys/${key}`)),
      outcome(await client.send('GET', `/v1/keys/${sibling}`)),
    ];
    for (let round = 1; round <= 5; round++) {
      expect(await seen()).toEqual(['200', '403 key_not_allowed']);
      await change({ key_ids: [sibling] });
      expect(await seen()).toEqual(['403 key_not_allowed', '200']);
      await change({ key_ids: null });
      expect(await seen()).toEqual(['200', '200']);
      await change({ key_ids: [key] });
    }
  });

  test('revocation: 401 from the next request on, and the record is 404', async () => {
    const { id, client, change } = await start();
    expect(outcome(await client.send('GET', '/v1/keys'))).toBe('200');
    expect((await tenant.console.send('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
    expect(outcome(await client.send('GET', '/v1/keys'))).toBe('401 unauthorized');
    expect(outcome(await change({ name: 'x' }))).toBe('404 not_found');
    expect(outcome(await tenant.console.send('GET', `/v1/api-keys/${id}`))).toBe('404 not_found');
    expect(outcome(await tenant.console.send('DELETE', `/v1/api-keys/${id}`))).toBe('404 not_found');
  });
});
