import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { list, outcome, text } from '../../support/client.ts';
import { keyObject, read } from '../../support/objects.ts';
import { ALL_TIERS, makeContainer, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

async function defaultContainer({ console }: Tenant): Promise<unknown> {
  return list(await console.send('GET', '/v1/containers')).find(({ is_default }) => is_default)?.id;
}

describe('the creation of a key', () => {
  let refused: Tenant;
  beforeAll(async () => {
    refused = await makeTenant(stack);
  });

  test.each(ALL_TIERS)(
    'creating a %s key returns the complete key, with one version, in the default container',
    async (tier) => {
      const tenant = await makeTenant(stack);
      for (const client of [tenant.api, tenant.console]) {
        const answer = await client.send('POST', '/v1/keys', { name: `by ${client.token?.slice(0, 3)}`, tier });
        if (tier === 'free' && client === tenant.console) break;
        expect(answer.status).toBe(201);
        const key = read(keyObject, answer);
        expect(key).toEqual({
          id: key.id,
          name: `by ${client.token?.slice(0, 3)}`,
          tier,
          container_id: await defaultContainer(tenant),
          state: 'active',
          created_at: key.created_at,
          delete_requested_at: null,
          destroy_after: null,
          frozen_at: null,
          primary_version: 1,
          versions: [{ version: 1, state: 'enabled', created_at: key.versions[0]?.created_at }],
        });
        expect(await client.send('GET', `/v1/keys/${key.id}`)).toMatchObject({ status: 200, body: key });
      }
    },
  );

  test.each([['Free'], ['SOFTWARE'], [' wrapped'], ['gold'], [''], ['toString']])(
    'creating a key with the tier %j is refused with 400 invalid_tier',
    async (tier) => {
      const tenant = await makeTenant(stack);
      const answer = await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier });
      expect(outcome(answer)).toBe('400 invalid_tier');
    },
  );

  test.each([
    [{ tier: 'free' }],
    [{ name: 'orders' }],
    [{ name: 1, tier: 'free' }],
    [{ name: 'orders', tier: null }],
    [{ name: 'orders', tier: 'free', container_id: 1 }],
    [['orders', 'free']],
  ])('creating a key with the body %j is refused with 400 invalid_request', async (body) => {
    expect(outcome(await refused.api.send('POST', '/v1/keys', body))).toBe('400 invalid_request');
  });

  test('when a key is created, unknown fields are ignored, and a null container_id means the default container', async () => {
    const tenant = await makeTenant(stack);
    const body = { name: 'orders', tier: 'wrapped', container_id: null, state: 'pending_deletion', id: randomUUID() };
    const key = read(keyObject, await tenant.api.send('POST', '/v1/keys', body));
    expect([key.state, key.container_id]).toEqual(['active', await defaultContainer(tenant)]);
    expect(key.id).not.toBe(body.id);
  });

  test('an API key can create keys only in its own container, and a session in any container of the tenant', async () => {
    const [tenant, otherTenant] = [await makeTenant(stack), await makeTenant(stack)];
    const other = await makeContainer(tenant);
    const own = await defaultContainer(tenant);
    const inOther = (await tenant.mint({ container_id: other })).client;
    const create = async (client: Tenant['api'], container_id: unknown) => {
      const answer = await client.send('POST', '/v1/keys', { name: randomUUID(), tier: 'wrapped', container_id });
      return answer.status === 201 ? text(answer, 'container_id') : outcome(answer);
    };
    expect(await create(tenant.api, own)).toBe(own);
    expect(await create(tenant.api, String(own).toUpperCase())).toBe(own);
    expect(await create(tenant.api, other)).toBe('400 invalid_container');
    expect(await create(inOther, undefined)).toBe(other);
    expect(await create(inOther, own)).toBe('400 invalid_container');
    expect(await create(tenant.console, undefined)).toBe(own);
    expect(await create(tenant.console, other)).toBe(other);
    for (const client of [tenant.api, tenant.console]) {
      for (const named of [await defaultContainer(otherTenant), randomUUID(), 'default', '']) {
        expect([named, await create(client, named)]).toEqual([named, '400 invalid_container']);
      }
    }
  });
});
