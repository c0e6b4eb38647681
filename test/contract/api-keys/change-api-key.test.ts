import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { apiKeyObject, read } from '../../support/objects.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;

async function makeFirewall(): Promise<string> {
  const body = { name: randomUUID(), allowed_ips: ['127.0.0.1'] };
  return text(await tenant.console.send('POST', '/v1/firewalls', body), 'id');
}

beforeAll(async () => {
  tenant = await makeTenant(stack);
});

/** Creates an API key with a key list and a firewall, and returns functions to change and read its settings. */
async function makeRestrictedApiKey() {
  const key = await tenant.createKey('wrapped');
  const firewall = await makeFirewall();
  const { id, client } = await tenant.mint({ key_ids: [key], firewall_id: firewall });
  const path = `/v1/api-keys/${id}`;
  const change = (body: unknown) => tenant.console.send('PATCH', path, body);
  const current = async () => {
    const { last_used_at: _, ...settings } = read(apiKeyObject, await tenant.console.send('GET', path));
    return settings;
  };
  return { key, firewall, client, change, current };
}

describe('PATCH of an API key', () => {
  test('PATCH of an API key changes only the fields in the body', async () => {
    const { key, firewall, change, current } = await makeRestrictedApiKey();
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

  test('PATCH of an API key with an empty object returns 200 and changes nothing', async () => {
    const { change, current } = await makeRestrictedApiKey();
    const before = await current();
    expect(outcome(await change({}))).toBe('200');
    expect(await current()).toEqual(before);
  });

  test.each([
    [{ container_id: randomUUID() }, '400 invalid_request'],
    [{ allowed_action: ['encrypt'] }, '400 invalid_request'],
    [{ token: 'esk' }, '400 invalid_request'],
    [{ name: 'x', id: randomUUID() }, '400 invalid_request'],
    [{ name: 1 }, '400 invalid_request'],
    [{ allowed_actions: null }, '400 invalid_allowed_actions'],
    [{ name: 'half done', allowed_actions: ['encrypt', 'destroy'] }, '400 invalid_allowed_actions'],
    [{ name: 'half done', key_ids: [] }, '400 invalid_key_ids'],
    [{ key_ids: [null] }, '400 invalid_request'],
    [{ key_ids: {} }, '400 invalid_request'],
    [{ firewall_id: 1 }, '400 invalid_request'],
    [[], '400 invalid_request'],
    [null, '400 invalid_request'],
  ])('PATCH of an API key with %j changes nothing and returns %s', async (body, expected) => {
    const { change, current } = await makeRestrictedApiKey();
    const before = await current();
    expect(outcome(await change(body))).toBe(expected);
    expect(await current()).toEqual(before);
  });
});

test('a changed or removed key list takes effect at the next request of the API key', async () => {
  const { key, client, change } = await makeRestrictedApiKey();
  const sibling = await tenant.createKey('wrapped');
  const readBoth = async () => [
    outcome(await client.send('GET', `/v1/keys/${key}`)),
    outcome(await client.send('GET', `/v1/keys/${sibling}`)),
  ];
  for (let round = 1; round <= 5; round++) {
    expect(await readBoth()).toEqual(['200', '403 key_not_allowed']);
    await change({ key_ids: [sibling] });
    expect(await readBoth()).toEqual(['403 key_not_allowed', '200']);
    await change({ key_ids: null });
    expect(await readBoth()).toEqual(['200', '200']);
    await change({ key_ids: [key] });
  }
});
