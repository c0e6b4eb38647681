import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { outcome } from '../../test/support/client.ts';
import { setCount } from '../../test/support/counts.ts';
import { apiKeyObject, read } from '../../test/support/objects.ts';
import { operation, test } from '../../test/support/operation.ts';
import { makeFirewall, makeTenant, named } from '../../test/support/tenant.ts';
import { acceptedIssuer } from '../../test/support/workloads.ts';

operation(
  {
    call: 'PATCH /v1/api-keys/{id}',
    credential: 'console',
    roles: ['owner', 'admin'],
    body: 'required',
    good: '200',
    event: 'update_api_key',
    changes: [
      { field: 'name', before: 'test', after: expect.any(String) },
      { field: 'allowed_actions', before: ['encrypt', 'rotate'], after: ['decrypt'] },
      { field: 'firewall_id', before: null, after: expect.any(String) },
      { field: 'federations', before: [], after: [{ issuer: expect.any(String), claims: { sub: 'job' } }] },
      { field: 'expires_at', before: null, after: '2100-01-01T00:00:00.000000Z' },
    ],
    dependencies: ['firestore', 'pdp'],
    request: async (tenant) => ({
      id: (await tenant.mint({ allowed_actions: ['encrypt', 'rotate'] })).id,
      body: {
        ...named(),
        allowed_actions: ['decrypt'],
        key_ids: null,
        firewall_id: await makeFirewall(tenant),
        federations: [{ issuer: await acceptedIssuer(tenant.console.stack), claims: { sub: 'job' } }],
        expires_at: '2100-01-01T00:00:00Z',
      },
    }),
    refuses: [
      ['400 invalid_request', { body: { container_id: null } }],
      ['400 invalid_request', { body: { key_ids: [null] } }],
      ['400 invalid_name', { body: { name: '' } }],
      ['400 invalid_allowed_actions', { body: { allowed_actions: null } }],
      ['400 invalid_key_ids', { body: { key_ids: [] } }],
      ['400 invalid_firewall', { body: { firewall_id: randomUUID() } }],
      ['400 invalid_expires_at', { body: { expires_at: '2020-01-01T00:00:00Z' } }],
      ['400 invalid_federations', { body: { federations: null } }],
      [
        '409 limit_reached',
        async ({ console: { stack } }) => {
          const full = await makeTenant(stack);
          await setCount(stack, full.id, 'federation_bytes', 16 * 1024 * 1024);
          const federations = [{ issuer: await acceptedIssuer(stack), claims: { sub: 'a' } }];
          return { as: full.console, id: full.apiKeyId, body: { firewall_id: null, federations } };
        },
      ],
    ],
  },
  () => {
    test('a change leaves out what the request leaves out, and null removes a restriction', async ({ tenant }) => {
      const [key, sibling] = [await tenant.createKey('wrapped'), await tenant.createKey('wrapped')];
      const { id } = await tenant.mint({ key_ids: [key], firewall_id: await makeFirewall(tenant) });
      const path = `/v1/api-keys/${id}`;
      const expected = { ...read(apiKeyObject, await tenant.console.send('GET', path)) };
      for (const change of [
        {},
        { name: 'renamed' },
        { allowed_actions: ['wrap'] },
        { key_ids: [sibling, key] },
        { key_ids: null, firewall_id: null },
      ]) {
        Object.assign(expected, change);
        expect((await tenant.console.send('PATCH', path, change)).body).toEqual(expected);
        expect((await tenant.console.send('GET', path)).body).toEqual(expected);
      }
    });

    test('a changed or removed key list takes effect at the next request of the API key', async ({ tenant }) => {
      const [key, sibling] = [await tenant.createKey('wrapped'), await tenant.createKey('wrapped')];
      const { id, client } = await tenant.mint({ key_ids: [key] });
      const readBoth = async () => [
        outcome(await client.send('GET', `/v1/keys/${key}`)),
        outcome(await client.send('GET', `/v1/keys/${sibling}`)),
      ];
      const change = (key_ids: string[] | null) => tenant.console.send('PATCH', `/v1/api-keys/${id}`, { key_ids });
      for (let round = 1; round <= 3; round++) {
        expect(await readBoth()).toEqual(['200', '403 key_not_allowed']);
        await change([sibling]);
        expect(await readBoth()).toEqual(['403 key_not_allowed', '200']);
        await change(null);
        expect(await readBoth()).toEqual(['200', '200']);
        await change([key]);
      }
    });
  },
);
