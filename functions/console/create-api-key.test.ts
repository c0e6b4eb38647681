import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { eventsOfTenant } from '../../test/support/audit.ts';
import { list, text } from '../../test/support/client.ts';
import { atLimit } from '../../test/support/counts.ts';
import { apiKeyObject, newApiKeyObject, read } from '../../test/support/objects.ts';
import { operation, test } from '../../test/support/operation.ts';
import { expectRefusal } from '../../test/support/refusal.ts';
import { ALL_ACTIONS, makeContainer, makeFirewall, makeTenant, named, type Tenant } from '../../test/support/tenant.ts';
import { acceptedIssuer } from '../../test/support/workloads.ts';

/** Returns the bytes of an id in base32 (RFC 4648 §6), in lower case and without padding. */
function base32(id: string): string {
  const bits = [...Buffer.from(id.replaceAll('-', ''), 'hex')]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((digit) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(digit.padEnd(5, '0'), 2)]).join('');
}

const createKeyIn = async ({ console }: Tenant, container_id: string) =>
  text(await console.send('POST', '/v1/keys', { ...named(), tier: 'wrapped', container_id }), 'id');

/** Objects that an API key of the default container cannot refer to, each with the outcome. */
const OUT_OF_REACH: readonly (readonly [string, string, (tenant: Tenant) => Promise<object>])[] = [
  [
    'a destroyed key',
    '400 invalid_key_ids',
    async ({ console, createKey }) => {
      const key = await createKey('wrapped');
      await console.send('POST', `/v1/keys/${key}/destroy`);
      return { key_ids: [key] };
    },
  ],
  [
    'another tenant’s key',
    '400 invalid_key_ids',
    async ({ console }) => ({ key_ids: [await (await makeTenant(console.stack)).createKey('wrapped')] }),
  ],
  [
    'another container’s key',
    '400 invalid_key_ids',
    async (tenant) => ({ key_ids: [await createKeyIn(tenant, await makeContainer(tenant))] }),
  ],
  [
    'a deleted firewall',
    '400 invalid_firewall',
    async (tenant) => {
      const firewall_id = await makeFirewall(tenant);
      await tenant.console.send('DELETE', `/v1/firewalls/${firewall_id}`);
      return { firewall_id };
    },
  ],
  [
    'another tenant’s firewall',
    '400 invalid_firewall',
    async ({ console }) => ({ firewall_id: await makeFirewall(await makeTenant(console.stack)) }),
  ],
  [
    'another container’s firewall',
    '400 invalid_firewall',
    async (tenant) => ({ firewall_id: await makeFirewall(tenant, { container_id: await makeContainer(tenant) }) }),
  ],
];

operation(
  {
    call: 'POST /v1/api-keys',
    credential: 'console',
    roles: ['owner', 'admin'],
    body: 'required',
    good: '201',
    event: 'create_api_key',
    changes: [
      { field: 'name', before: null, after: expect.any(String) },
      { field: 'allowed_actions', before: null, after: ['encrypt', 'decrypt'] },
      { field: 'key_ids', before: null, after: [expect.any(String)] },
      { field: 'firewall_id', before: null, after: expect.any(String) },
      { field: 'federations', before: null, after: [{ issuer: expect.any(String), claims: { sub: 'job' } }] },
      { field: 'expires_at', before: null, after: '2100-01-01T00:00:00.000000Z' },
    ],
    dependencies: ['firestore', 'pdp'],
    request: async (tenant) => {
      const [key, firewall_id] = [await tenant.createKey('wrapped'), await makeFirewall(tenant)];
      const allowed_actions = ['decrypt', 'encrypt', 'decrypt'];
      const issuer = await acceptedIssuer(tenant.console.stack);
      const workload = { federations: [{ issuer, claims: { sub: 'job' } }], expires_at: '2100-01-01T00:00:00Z' };
      return { body: { ...named(), allowed_actions, key_ids: [key.toUpperCase(), key], firewall_id, ...workload } };
    },
    refuses: [
      ['400 invalid_request', { body: { firewall_id: [] } }],
      ['400 invalid_request', { body: { name: null } }],
      ['400 invalid_request', { body: { key_ids: 'all' } }],
      ['400 invalid_request', { body: { allowed_actions: [1] } }],
      ['400 invalid_request', { body: { federations: {} } }],
      ['400 invalid_request', { body: { expires_at: 1 } }],
      ['400 invalid_request', { body: { without_token: 'yes' } }],
      ['400 invalid_name', { body: { name: '' } }],
      ['400 invalid_container', { body: { container_id: randomUUID() } }],
      ['400 invalid_container', { body: { container_id: '' } }],
      ['400 invalid_allowed_actions', { body: { allowed_actions: ['encrypt', 'destroy'] } }],
      ['400 invalid_key_ids', { body: { key_ids: [randomUUID()] } }],
      ['400 invalid_key_ids', { body: { key_ids: [] } }],
      ['400 invalid_firewall', { body: { firewall_id: randomUUID() } }],
      ['400 invalid_firewall', { body: { firewall_id: '' } }],
      ['400 invalid_expires_at', { body: { expires_at: '2020-01-01T00:00:00Z' } }],
      ['400 invalid_federations', { body: { federations: [null] } }],
      [
        '409 limit_reached',
        async (tenant) => ({
          ...(await atLimit('api_keys', 1_000)(tenant)),
          body: { key_ids: null, firewall_id: null },
        }),
      ],
    ],
  },
  () => {
    test('without optional fields, or with null, an API key has no actions, no restrictions and the default container', async ({
      tenant: { console },
    }) => {
      const [container] = list(await console.send('GET', '/v1/containers'));
      const nulls = { container_id: null, allowed_actions: null, key_ids: null, firewall_id: null, expires_at: null };
      const expected = { ...nulls, container_id: container?.id, allowed_actions: [], last_used_at: null };
      for (const optional of [{}, nulls]) {
        const created = await console.send('POST', '/v1/api-keys', { ...named(), ...optional });
        expect(read(newApiKeyObject, created)).toMatchObject(expected);
      }
    });

    test('an API key belongs to the container that the request names, with the keys and firewalls there', async ({
      tenant,
    }) => {
      const container_id = await makeContainer(tenant);
      const pending = await createKeyIn(tenant, container_id);
      await tenant.console.send('DELETE', `/v1/keys/${pending}`);
      const firewall_id = await makeFirewall(tenant, { container_id });
      const wanted = { container_id, key_ids: [pending], firewall_id, allowed_actions: ALL_ACTIONS };
      const answer = await tenant.console.send('POST', '/v1/api-keys', { ...named(), ...wanted });
      expect(read(newApiKeyObject, answer)).toMatchObject(wanted);
    });

    test('request bodies accept uppercase ids, and answers contain lowercase ids', async ({
      tenant,
      tenant: { console },
    }) => {
      const container_id = await makeContainer(tenant);
      const inUpper = { container_id: container_id.toUpperCase() };
      const key = await console.send('POST', '/v1/keys', { ...named(), tier: 'wrapped', ...inUpper });
      const firewall_id = await makeFirewall(tenant, inUpper);
      const lower = { key_ids: [text(key, 'id')], firewall_id };
      const upper = { key_ids: [text(key, 'id').toUpperCase()], firewall_id: firewall_id.toUpperCase() };
      const apiKey = await console.send('POST', '/v1/api-keys', { ...named(), ...inUpper, ...upper });
      expect(apiKey.body).toMatchObject({ container_id, ...lower });
      const changed = await console.send('PATCH', `/v1/api-keys/${text(apiKey, 'id')}`, upper);
      expect(changed.body).toMatchObject({ container_id, ...lower });
    });

    test('the token is shown only at creation, its prefix encodes the id, and its secret is random', async ({
      tenant: { console },
    }) => {
      const create = async () => read(newApiKeyObject, await console.send('POST', '/v1/api-keys', { name: 'same' }));
      const [{ token, ...shown }, another] = [await create(), await create()];
      expect(shown.prefix).toBe(base32(shown.id));
      expect(token).toMatch(`esk_${shown.prefix}_`);
      expect(another.token?.slice(-43)).not.toBe(token?.slice(-43));
      const path = `/v1/api-keys/${shown.id}`;
      for (const answer of [await console.send('GET', path), await console.send('PATCH', path, {})]) {
        expect(read(apiKeyObject, answer)).toEqual(shown);
      }
    });

    test('the event of a creation has the fields that were given: none for null, and an empty list of actions', async ({
      tenant: { console },
    }) => {
      const nulls = { allowed_actions: null, key_ids: null, firewall_id: null };
      for (const [given, more] of [
        [nulls, []],
        [{ allowed_actions: [] }, [{ field: 'allowed_actions', before: null, after: [] }]],
      ] as const) {
        await console.send('POST', '/v1/api-keys', { name: 'a', ...given });
        const [event] = await eventsOfTenant(console);
        expect(event?.changes).toEqual([{ field: 'name', before: null, after: 'a' }, ...more]);
      }
    });

    test('unknown fields are ignored', async ({ tenant: { console } }) => {
      const body = { ...named(), id: randomUUID(), token: 'mine', actions: ['encrypt'] };
      const created = read(newApiKeyObject, await console.send('POST', '/v1/api-keys', body));
      expect(created.allowed_actions).toEqual([]);
      expect(created.token).not.toBe('mine');
    });

    test.for(OUT_OF_REACH)(
      'no API key can be created or changed to refer to %s',
      async ([, expected, make], { tenant }) => {
        const body = await make(tenant);
        expectRefusal(await tenant.console.send('POST', '/v1/api-keys', { ...named(), ...body }), expected);
        expectRefusal(await tenant.console.send('PATCH', `/v1/api-keys/${tenant.apiKeyId}`, body), expected);
      },
    );

    test('an API key cannot be created in another tenant’s container', async ({ stack, tenant: { console } }) => {
      const body = { ...named(), container_id: await makeContainer(await makeTenant(stack)) };
      expectRefusal(await console.send('POST', '/v1/api-keys', body), '400 invalid_container');
    });
  },
);
