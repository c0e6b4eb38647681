import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome, text } from '../../test/support/client.ts';
import { atLimit } from '../../test/support/counts.ts';
import { keyObject, read } from '../../test/support/objects.ts';
import { operation, test } from '../../test/support/operation.ts';
import { ALL_TIERS, type Client, makeContainer, makeTenant, named, type Tenant } from '../../test/support/tenant.ts';

const defaultContainer = async ({ console }: Tenant) =>
  String(list(await console.send('GET', '/v1/containers')).find(({ is_default }) => is_default)?.id);

operation(
  {
    call: 'POST /v1/keys',
    credential: 'either',
    action: 'create',
    roles: ['owner', 'admin'],
    body: 'required',
    good: '201',
    event: 'create_key',
    dependencies: ['firestore', 'pdp', 'kms'],
    request: (_, tier) => ({ body: { ...named(), tier } }),
    refuses: [
      ['400 invalid_request', { body: { name: null } }],
      ['400 invalid_request', { body: { tier: null } }],
      ['400 invalid_request', { body: { container_id: 1 } }],
      ['400 invalid_name', { body: { name: '' } }],
      ['400 invalid_tier', { body: { tier: 'FREE' } }],
      ['400 invalid_container', { body: { container_id: randomUUID() } }],
      [
        '402 billing_required',
        async ({ console: { stack } }) => {
          const unpaid = await makeTenant(stack, 'none');
          const taken = named();
          await unpaid.createKey('free', taken.name);
          return { as: unpaid.api, body: taken };
        },
      ],
      [
        '409 key_exists',
        async ({ createKey }) => {
          const taken = named();
          await createKey('free', taken.name);
          return { body: taken };
        },
      ],
      ['409 free_key_exists', async () => ({ body: { tier: 'free' } })],
      ['409 limit_reached', atLimit('keys', 10_000, 'api')],
    ],
  },
  () => {
    test.for(ALL_TIERS)(
      'creating a %s key returns the complete key, with one version, in the default container',
      async (tier, { stack }) => {
        const tenant = await makeTenant(stack);
        const { name } = named();
        const key = read(keyObject, await tenant.api.send('POST', '/v1/keys', { name, tier }));
        expect(key).toEqual({
          ...{ id: key.id, name, tier, container_id: await defaultContainer(tenant), state: 'active' },
          ...{ created_at: key.created_at, delete_requested_at: null, destroy_after: null, frozen_at: null },
          ...{ primary_version: 1, versions: [{ version: 1, state: 'enabled', created_at: expect.any(String) }] },
        });
        expect(await tenant.api.send('GET', `/v1/keys/${key.id}`)).toMatchObject({ status: 200, body: key });
      },
    );

    test('unknown fields are ignored, and a null container_id means the default container', async ({ tenant }) => {
      const body = { ...named(), tier: 'wrapped', container_id: null, state: 'pending_deletion', id: randomUUID() };
      const key = read(keyObject, await tenant.api.send('POST', '/v1/keys', body));
      expect([key.state, key.container_id]).toEqual(['active', await defaultContainer(tenant)]);
      expect(key.id).not.toBe(body.id);
    });

    test('an API key can create keys only in its own container, and a session in any container of the tenant', async ({
      stack,
      tenant,
    }) => {
      const [other, own] = [await makeContainer(tenant), await defaultContainer(tenant)];
      const foreign = await defaultContainer(await makeTenant(stack));
      const { client: inOther } = await tenant.mint({ container_id: other });
      const create = async (client: Client, container_id?: string) => {
        const answer = await client.send('POST', '/v1/keys', { ...named(), tier: 'wrapped', container_id });
        return answer.status === 201 ? text(answer, 'container_id') : outcome(answer);
      };
      const { api, console } = tenant;
      const refused = '400 invalid_container';
      expect([await create(api, own), await create(api, own.toUpperCase()), await create(api, other)]).toEqual([
        own,
        own,
        refused,
      ]);
      expect([await create(inOther), await create(inOther, own)]).toEqual([other, refused]);
      expect([await create(console), await create(console, other)]).toEqual([own, other]);
      for (const client of [api, console]) {
        for (const id of [foreign, 'default', '']) expect(await create(client, id)).toBe(refused);
      }
    });
  },
);
