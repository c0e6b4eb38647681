import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { BAD_BODIES } from '../../support/bad-credentials.ts';
import { text } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { type Client, makeTenant, signIn } from '../../support/tenant.ts';

const stack = inject('stack');
let keyId: string;
let api: Client;
let console: Client;
let outside: Client;
let listed: Client;
let actionless: Client;
let listedActionless: Client;
let newcomer: Client;
beforeAll(async () => {
  const { createKey, mint, ...tenant } = await makeTenant(stack);
  ({ api, console } = tenant);
  keyId = await createKey('free', 'taken');
  const firewall = await console.send('POST', '/v1/firewalls', { name: 'nowhere', allowed_ips: ['192.0.2.1'] });
  outside = (await mint({ firewall_id: text(firewall, 'id'), allowed_actions: [] })).client;
  listed = (await mint({ key_ids: [keyId] })).client;
  actionless = (await mint({ allowed_actions: [] })).client;
  listedActionless = (await mint({ key_ids: [keyId], allowed_actions: [] })).client;
  newcomer = await signIn(stack, randomUUID());
});

const BAD_NAME = '\u0007';

describe('POST /v1/keys', () => {
  test.each(BAD_BODIES)(
    'POST /v1/keys answers %s whatever the key list and the actions, because the body is checked first (body: %s)',
    async (refusal, _, extras) => {
      for (const client of [api, listed, actionless, listedActionless, console]) {
        expectRefusal(await client.send('POST', '/v1/keys', undefined, extras), refusal);
      }
    },
  );

  test.each(BAD_BODIES)(
    'POST /v1/keys checks the firewall, and that the user has a tenant, before the body (invalid body: $1)',
    async (_, __, extras) => {
      expectRefusal(await outside.send('POST', '/v1/keys', undefined, extras), '403 ip_not_allowed');
      expectRefusal(await newcomer.send('POST', '/v1/keys', undefined, extras), '403 no_tenant');
    },
  );

  test('POST /v1/keys checks the key list before the action, and both before name and tier', async () => {
    for (const body of [
      { name: 'fine', tier: 'wrapped' },
      { name: BAD_NAME, tier: 'x', container_id: 'x' },
    ]) {
      expectRefusal(await listed.send('POST', '/v1/keys', body), '403 key_not_allowed');
      expectRefusal(await listedActionless.send('POST', '/v1/keys', body), '403 key_not_allowed');
      expectRefusal(await actionless.send('POST', '/v1/keys', body), '403 action_not_allowed');
    }
  });

  describe.each([
    ['an API key', () => api],
    ['a session', () => console],
  ])('creation of a key by %s', (_, creator) => {
    test.each([
      ['the name is checked before the tier', { name: BAD_NAME, tier: 'x' }, '400 invalid_name'],
      [
        'the name is checked before the container',
        { name: BAD_NAME, tier: 'wrapped', container_id: 'x' },
        '400 invalid_name',
      ],
      [
        'the tier is checked before the container',
        { name: 'taken', tier: 'FREE', container_id: 'x' },
        '400 invalid_tier',
      ],
      [
        'the container is checked before the uniqueness of the name',
        { name: 'taken', tier: 'free', container_id: randomUUID() },
        '400 invalid_container',
      ],
      [
        'the uniqueness of the name is checked before the limit of one free key',
        { name: 'taken', tier: 'free' },
        '409 key_exists',
      ],
      ['the limit of one free key is checked last', { name: 'another', tier: 'free' }, '409 free_key_exists'],
    ])('when a key is created, %s', async (_, body, refusal) => {
      expectRefusal(await creator().send('POST', '/v1/keys', body), refusal);
    });
  });

  test('while billing is not in good standing, POST /v1/keys checks name, container, billing and name uniqueness in this order', async () => {
    const lapsed = await makeTenant(stack, 'none');
    await lapsed.createKey('free', 'taken');
    for (const client of [lapsed.api, lapsed.console]) {
      const create = (body: object) => client.send('POST', '/v1/keys', { name: 'taken', tier: 'software', ...body });
      expectRefusal(await create({ name: BAD_NAME }), '400 invalid_name');
      expectRefusal(await create({ container_id: randomUUID() }), '400 invalid_container');
      expectRefusal(await create({}), '402 billing_required');
      expectRefusal(await create({ tier: 'free' }), '409 key_exists');
    }
  });

  test('POST /v1/keys creates no key if it refuses the request', async () => {
    expect((await console.send('GET', '/v1/keys')).body).toMatchObject([{ id: keyId, name: 'taken' }]);
  });
});
