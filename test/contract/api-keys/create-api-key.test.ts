import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { list, text } from '../../support/client.ts';
import { apiKeyObject, newApiKeyObject, read } from '../../support/objects.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { ALL_ACTIONS, type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const networks = { allowed_ips: ['127.0.0.1'] };

/** Makes the tenant and the objects that the API keys refer to. */
async function setUp() {
  const tenant = await makeTenant(stack);
  const { console, createKey } = tenant;
  const create = async (path: string, body: object, by = console) => text(await by.send('POST', path, body), 'id');
  const [container] = list(await console.send('GET', '/v1/containers'));
  const keyId = await createKey('wrapped');
  const pendingKey = await createKey('wrapped');
  await console.send('DELETE', `/v1/keys/${pendingKey}`);
  const destroyedKey = await createKey('wrapped');
  await console.send('POST', `/v1/keys/${destroyedKey}/destroy`);
  const inElsewhere = { container_id: await create('/v1/containers', { name: 'elsewhere' }) };
  const keyElsewhere = await create('/v1/keys', { name: 'k', tier: 'wrapped', ...inElsewhere });
  const firewall = await create('/v1/firewalls', { name: 'f', ...networks });
  const firewallElsewhere = await create('/v1/firewalls', { name: 'f', ...networks, ...inElsewhere });
  const deletedFirewall = await create('/v1/firewalls', { name: 'deleted', ...networks });
  await console.send('DELETE', `/v1/firewalls/${deletedFirewall}`);
  const other = await makeTenant(stack);
  const foreignKey = await other.createKey('wrapped');
  const foreignFirewall = await create('/v1/firewalls', { name: 'f', ...networks }, other.console);
  const foreignContainer = list(await other.console.send('GET', '/v1/containers'))[0]?.id;
  return {
    ...{ tenant, container, keyId, pendingKey, destroyedKey, inElsewhere, keyElsewhere },
    ...{ firewall, firewallElsewhere, deletedFirewall, foreignKey, foreignFirewall, foreignContainer },
  };
}

let made: Awaited<ReturnType<typeof setUp>>;
let console: Client;
beforeAll(async () => {
  made = await setUp();
  ({ console } = made.tenant);
});

const mint = (body: object) => console.send('POST', '/v1/api-keys', { name: 'test', ...body });

/** Returns the bytes of an id in base32 (RFC 4648 §6), in lower case and without padding. */
function base32(id: string): string {
  const bits = [...Buffer.from(id.replaceAll('-', ''), 'hex')]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((digit) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(digit.padEnd(5, '0'), 2)]).join('');
}

describe('a new API key', () => {
  test('by default, a new API key has no actions, no restrictions and the default container', async () => {
    const answer = await mint({ name: 'plain' });
    expect(answer.status).toBe(201);
    expect(read(newApiKeyObject, answer)).toMatchObject({
      name: 'plain',
      container_id: made.container?.id,
      allowed_actions: [],
      key_ids: null,
      firewall_id: null,
      last_used_at: null,
    });
  });

  test('when an API key is created, an optional field that is null gets its default value', async () => {
    const answer = await mint({ container_id: null, allowed_actions: null, key_ids: null, firewall_id: null });
    expect(answer.status).toBe(201);
    const expected = { container_id: made.container?.id, allowed_actions: [], key_ids: null, firewall_id: null };
    expect(read(newApiKeyObject, answer)).toMatchObject(expected);
  });

  test('the token of an API key is shown only at creation, and its prefix encodes the id of the API key', async () => {
    const created = read(newApiKeyObject, await mint({}));
    expect(created.prefix).toBe(base32(created.id));
    const { token, ...shown } = created;
    expect(token).toMatch(`esk_${created.prefix}_`);
    const secret = String(token).slice(-43);
    const path = `/v1/api-keys/${created.id}`;
    for (const answer of [await console.send('GET', path), await console.send('PATCH', path, {})]) {
      expect(read(apiKeyObject, answer)).toEqual(shown);
      expect(JSON.stringify(answer.body)).not.toContain(secret);
    }
    const all = await console.send('GET', '/v1/api-keys');
    expect(list(all)).toContainEqual(shown);
    expect(JSON.stringify(all.body)).not.toContain(secret);
    expect(JSON.stringify(all.body)).not.toMatch(/argon2|secret|hash/i);
  });

  test('API keys with the same name have different secrets', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => mint({ name: 'same name' })));
    expect(new Set(answers.map((answer) => text(answer, 'token').slice(-43))).size).toBe(5);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  });

  test('a new API key has the actions, keys and firewall from the request, without duplicates', async () => {
    const actions = [...ALL_ACTIONS].reverse();
    const wanted = {
      allowed_actions: [...actions, 'encrypt'],
      key_ids: [made.keyId, made.pendingKey, made.keyId],
      firewall_id: made.firewall,
    };
    const created = read(newApiKeyObject, await mint(wanted));
    expect([...created.allowed_actions].sort()).toEqual([...ALL_ACTIONS].sort());
    expect([...(created.key_ids ?? [])].sort()).toEqual([made.keyId, made.pendingKey].sort());
    expect(created.firewall_id).toBe(made.firewall);
  });

  test('a new API key belongs to the container that the request names', async () => {
    const restrictions = { key_ids: [made.keyElsewhere], firewall_id: made.firewallElsewhere };
    const created = read(newApiKeyObject, await mint({ ...made.inElsewhere, ...restrictions }));
    expect(created).toMatchObject({ ...made.inElsewhere, ...restrictions });
  });

  test('unknown fields are ignored when an API key is created', async () => {
    const created = read(newApiKeyObject, await mint({ id: randomUUID(), token: 'mine', actions: ['encrypt'] }));
    expect(created.allowed_actions).toEqual([]);
    expect(created.token).not.toBe('mine');
  });

  test('API keys are listed oldest first', async () => {
    const { console } = await makeTenant(stack);
    for (const name of ['a', 'b', 'c']) await console.send('POST', '/v1/api-keys', { name });
    expect(list(await console.send('GET', '/v1/api-keys')).map(({ name }) => name)).toEqual(['test', 'a', 'b', 'c']);
  });
});

const LONG = Array.from({ length: 101 }, () => randomUUID());
const REFUSED = [
  ['an empty key list', () => ({ key_ids: [] }), '400 invalid_key_ids'],
  ['an unknown key', () => ({ key_ids: [made.keyId, randomUUID()] }), '400 invalid_key_ids'],
  ['a key id that is not a UUID', () => ({ key_ids: ['x'] }), '400 invalid_key_ids'],
  ['an empty key id', () => ({ key_ids: [''] }), '400 invalid_key_ids'],
  ['a destroyed key', () => ({ key_ids: [made.destroyedKey] }), '400 invalid_key_ids'],
  ['another tenant’s key', () => ({ key_ids: [made.foreignKey] }), '400 invalid_key_ids'],
  ['another container’s key', () => ({ key_ids: [made.keyElsewhere] }), '400 invalid_key_ids'],
  ['more than 100 keys', () => ({ key_ids: LONG }), '400 invalid_key_ids'],
  ['an unknown firewall', () => ({ firewall_id: randomUUID() }), '400 invalid_firewall'],
  ['a firewall id that is not a UUID', () => ({ firewall_id: 'x' }), '400 invalid_firewall'],
  ['an empty firewall id', () => ({ firewall_id: '' }), '400 invalid_firewall'],
  ['a deleted firewall', () => ({ firewall_id: made.deletedFirewall }), '400 invalid_firewall'],
  ['another tenant’s firewall', () => ({ firewall_id: made.foreignFirewall }), '400 invalid_firewall'],
  ['another container’s firewall', () => ({ firewall_id: made.firewallElsewhere }), '400 invalid_firewall'],
  ['an unknown action', () => ({ allowed_actions: ['encrypt', 'sign'] }), '400 invalid_allowed_actions'],
  ['a capitalized action', () => ({ allowed_actions: ['Encrypt'] }), '400 invalid_allowed_actions'],
  ['an action that only sessions can perform', () => ({ allowed_actions: ['destroy'] }), '400 invalid_allowed_actions'],
  ['an asterisk for all actions', () => ({ allowed_actions: ['*'] }), '400 invalid_allowed_actions'],
  ['an empty action name', () => ({ allowed_actions: [''] }), '400 invalid_allowed_actions'],
  ['a string instead of a list of actions', () => ({ allowed_actions: 'encrypt' }), '400 invalid_request'],
  ['a number as an action', () => ({ allowed_actions: [1] }), '400 invalid_request'],
  ['a string instead of a list of key ids', () => ({ key_ids: made.keyId }), '400 invalid_request'],
  ['a list instead of a firewall id', () => ({ firewall_id: [made.firewall] }), '400 invalid_request'],
  ['an empty name', () => ({ name: '' }), '400 invalid_name'],
  ['a name of only white space', () => ({ name: ' \u3000 ' }), '400 invalid_name'],
  ['a name of 129 characters', () => ({ name: 'n'.repeat(129) }), '400 invalid_name'],
  ['a name with a control character', () => ({ name: 'a\u0085b' }), '400 invalid_name'],
  ['null as its name', () => ({ name: null }), '400 invalid_request'],
] as const;

describe('an invalid setting of an API key', () => {
  test.each(REFUSED)('creating or changing an API key with %s is refused', async (_, invalid, refusal) => {
    const restriction = invalid();
    const before = await console.send('GET', '/v1/api-keys');
    expectRefusal(await mint(restriction), refusal);
    expectRefusal(await console.send('PATCH', `/v1/api-keys/${made.tenant.apiKeyId}`, restriction), refusal);
    expect((await console.send('GET', '/v1/api-keys')).body).toEqual(before.body);
  });

  test.each([
    ['an unknown container', () => randomUUID()],
    ['a container id that is not a UUID', () => 'x'],
    ['an empty container id', () => ''],
    ['another tenant’s container', () => made.foreignContainer],
  ])('creating an API key in %s is refused', async (_, id) => {
    expectRefusal(await mint({ container_id: id() }), '400 invalid_container');
  });

  test('creating an API key without a name is refused', async () => {
    expectRefusal(await console.send('POST', '/v1/api-keys', {}), '400 invalid_request');
  });
});

test.each(['n'.repeat(128), '😀'.repeat(128), ' spaced ', 'ключ'])(
  'an API key can have the name "%s"',
  async (name) => {
    expect(read(newApiKeyObject, await mint({ name })).name).toBe(name);
  },
);
