import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { BAD_BODIES, withWrongSecret } from '../../support/bad-credentials.ts';
import { text } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { type ApiKeyOptions, Client, makeTenant, signIn } from '../../support/tenant.ts';

const stack = inject('stack');
let api: Client;
let console: Client;
let keyId: string;
let otherKey: string;
let foreignKey: string;
/** API keys with restrictions, and a person without a tenant. */
let outside: Client;
let outsideActionless: Client;
let actionless: Client;
let listed: Client;
let listedActionless: Client;
let newcomer: Client;
beforeAll(async () => {
  const tenant = await makeTenant(stack);
  ({ api, console } = tenant);
  const mint = async (options: ApiKeyOptions) => (await tenant.mint(options)).client;
  keyId = await tenant.createKey('wrapped');
  otherKey = await tenant.createKey('wrapped');
  foreignKey = await (await makeTenant(stack)).createKey('wrapped');
  const nowhere = { name: 'nowhere', allowed_ips: ['192.0.2.0/24'] };
  const firewall_id = text(await console.send('POST', '/v1/firewalls', nowhere), 'id');
  outside = await mint({ firewall_id });
  outsideActionless = await mint({ firewall_id, allowed_actions: [], key_ids: [keyId] });
  actionless = await mint({ allowed_actions: [] });
  listed = await mint({ key_ids: [keyId] });
  listedActionless = await mint({ key_ids: [keyId], allowed_actions: [] });
  newcomer = await signIn(stack, randomUUID());
});

/** The routes for a single key that accept an API key and need an action. */
const WITH_ACTION = [
  ['POST', '/restore', 'restore'],
  ['POST', '/encrypt', 'encrypt'],
  ['POST', '/decrypt', 'decrypt'],
  ['POST', '/wrap', 'wrap'],
  ['POST', '/unwrap', 'unwrap'],
  ['POST', '/rewrap', 'rewrap'],
] as const;
/** The routes in `WITH_ACTION` that need a body. */
const WITH_BODY = WITH_ACTION.filter(([, operation]) => /crypt|wrap/.test(operation));

describe('the route is checked before the credential', () => {
  test.each([
    ['404 not_found', 'GET', '/v1/nothing'],
    ['405 method_not_allowed', 'PUT', '/v1/keys'],
    ['405 method_not_allowed', 'DELETE', `/v1/keys/x/encrypt`],
  ])('without a credential, the answer is %s for %s %s', async (refusal, method, path) => {
    expectRefusal(await new Client(stack, undefined).send(method, path), refusal);
  });
});

describe('the secret is checked before the firewall', () => {
  test('a wrong secret from outside the firewall is refused with 401', async () => {
    const client = new Client(stack, withWrongSecret(outside.token ?? ''));
    const answer = await client.send('GET', '/v1/keys');
    expectRefusal(answer, '401 unauthorized');
    expect(answer.body).toMatchObject({ message: 'missing or invalid credentials' });
  });
});

describe('the validity of a credential is checked before its kind', () => {
  test('an API key used from outside its firewall gets 403 ip_not_allowed from a console route', async () => {
    expectRefusal(await outside.send('GET', '/v1/me'), '403 ip_not_allowed');
    expectRefusal(await outside.send('POST', `/v1/keys/${keyId}/destroy`), '403 ip_not_allowed');
  });

  test('an API key used from outside its firewall gets 403 ip_not_allowed even if the query is invalid', async () => {
    expectRefusal(await outside.send('GET', '/v1/usage?period=x'), '403 ip_not_allowed');
  });

  test('a session without a tenant gets 403 no_tenant from a metered operation', async () => {
    expectRefusal(await newcomer.send('POST', `/v1/keys/${keyId}/encrypt`), '403 no_tenant');
  });
});

describe('the firewall is checked before the key', () => {
  test.each(WITH_ACTION)(
    '%s /v1/keys/{id}%s from outside the firewall returns 403 ip_not_allowed for any id',
    async (method, operation) => {
      for (const id of ['x', randomUUID(), otherKey, keyId]) {
        const answer = await outsideActionless.send(method, `/v1/keys/${id}${operation}`, undefined, { raw: '{' });
        expectRefusal(answer, '403 ip_not_allowed');
      }
    },
  );
});

describe('the kind of credential is checked before the id and the body', () => {
  test('an API key that calls POST /v1/keys/{id}/destroy gets 403 session_required for any id', async () => {
    for (const id of ['x', randomUUID(), foreignKey]) {
      expectRefusal(await listedActionless.send('POST', `/v1/keys/${id}/destroy`), '403 session_required');
    }
  });

  test.each(['encrypt', 'decrypt', 'wrap', 'unwrap', 'rewrap'])(
    'a session that calls %s gets 403 api_key_required',
    async (operation) => {
      for (const id of ['x', randomUUID(), foreignKey]) {
        const answer = await console.send('POST', `/v1/keys/${id}/${operation}`, undefined, { raw: '{' });
        expectRefusal(answer, '403 api_key_required');
      }
    },
  );
});

describe.each(WITH_ACTION)('%s /v1/keys/{id}%s', (method, operation) => {
  const to = (id: string) => `/v1/keys/${id}${operation}`;

  test('the format of the id is checked before the key list', async () => {
    expectRefusal(await listedActionless.send(method, to('x')), '404 not_found');
  });

  test('the key list is checked before the action, for any id', async () => {
    for (const id of [otherKey, foreignKey, randomUUID()]) {
      expectRefusal(await listedActionless.send(method, to(id)), '403 key_not_allowed');
    }
  });

  test('the action is checked before the existence of the key', async () => {
    for (const id of [foreignKey, randomUUID()]) {
      expectRefusal(await actionless.send(method, to(id)), '403 action_not_allowed');
    }
    expectRefusal(await listedActionless.send(method, to(keyId)), '403 action_not_allowed');
  });
});

describe.each(WITH_BODY)('%s /v1/keys/{id}%s', (method, operation) => {
  const to = (id: string) => `/v1/keys/${id}${operation}`;

  test.each(BAD_BODIES)(
    'the answer is %s even for an unknown key, because the body is checked before the key is looked up (body: %s)',
    async (refusal, _, extras) => {
      for (const id of [keyId, foreignKey, randomUUID()]) {
        expectRefusal(await api.send(method, to(id), undefined, extras), refusal);
      }
    },
  );

  test.each(BAD_BODIES)(
    'the id, the key list and the action are checked before the body (invalid body: $1)',
    async (_, __, extras) => {
      expectRefusal(await api.send(method, to('x'), undefined, extras), '404 not_found');
      expectRefusal(await listed.send(method, to(otherKey), undefined, extras), '403 key_not_allowed');
      expectRefusal(await actionless.send(method, to(keyId), undefined, extras), '403 action_not_allowed');
      expectRefusal(await actionless.send(method, to(randomUUID()), undefined, extras), '403 action_not_allowed');
    },
  );
});
