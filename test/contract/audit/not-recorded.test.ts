import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { eventsOfKey, inWords, keyEventsOfTenant } from '../../support/audit.ts';
import { withWrongSecret } from '../../support/bad-credentials.ts';
import { type Answer, outcome, send, text } from '../../support/client.ts';
import { randomBase64 } from '../../support/operations.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const BODY = { plaintext: 'aGVsbG8=' };

let tenant: Tenant;
let key: string;
let name: string;
let container: string;
let firewalled: Client;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  name = randomUUID();
  key = await tenant.createKey('software', name);
  container = text(await tenant.console.send('POST', '/v1/containers', { name: 'other' }), 'id');
  const networks = { name: 'away', allowed_ips: ['192.0.2.0/24'] };
  const firewall = text(await tenant.console.send('POST', '/v1/firewalls', networks), 'id');
  firewalled = (await tenant.mint({ firewall_id: firewall })).client;
});

/** What the request is called in the title of its test, the request, and its expected outcome. */
type Case = readonly [what: string, ask: () => Promise<Answer>, expected: string];

const get = (path: string) => () => tenant.api.send('GET', path);
const post = (client: () => Client, operation: string, body: unknown) => () =>
  client().send('POST', `/v1/keys/${key}/${operation}`, body);
const api = () => tenant.api;
const wrongSecret = () => new Client(stack, withWrongSecret(tenant.api.token ?? ''));

const ON_A_LIVE_KEY: readonly Case[] = [
  [
    'a request with a body over 128 KiB',
    post(api, 'encrypt', { ...BODY, pad: 'x'.repeat(131_072) }),
    '413 payload_too_large',
  ],
  [
    'a request with a plaintext over the size limit',
    post(api, 'encrypt', { plaintext: randomBase64(65_537) }),
    '413 payload_too_large',
  ],
  [
    'a request with an aad over the size limit',
    post(api, 'unwrap', { wrapped: 'AAAA', aad: randomBase64(65_521) }),
    '413 payload_too_large',
  ],
  ['a request that the firewall refuses', post(() => firewalled, 'encrypt', BODY), '403 ip_not_allowed'],
  ['a request with a wrong secret', post(wrongSecret, 'encrypt', BODY), '401 unauthorized'],
  [
    'a request without a credential',
    () => send('POST', `${stack.baseUrl}/v1/keys/${key}/encrypt`, { body: BODY }),
    '401 unauthorized',
  ],
  ['encrypt by a console session', post(() => tenant.console, 'encrypt', BODY), '403 api_key_required'],
  ['destroy by an API key', () => tenant.api.send('POST', `/v1/keys/${key}/destroy`), '403 session_required'],
  [
    'a request with a method that is not allowed',
    () => tenant.api.send('PUT', `/v1/keys/${key}`, { name }),
    '405 method_not_allowed',
  ],
  ['reading the key', () => get(`/v1/keys/${key}`)(), '200'],
  ['listing keys', () => get('/v1/keys')(), '200'],
  ['reading usage', () => get('/v1/usage')(), '200'],
  ['reading the audit log', () => get(`/v1/keys/${key}/audit`)(), '200'],
  [
    'a request for the audit log with an invalid query',
    () => get(`/v1/keys/${key}/audit?limit=0`)(),
    '400 invalid_query',
  ],
  ['a rename to the same name', () => tenant.api.send('PATCH', `/v1/keys/${key}`, { name }), '200'],
];

test.each(ON_A_LIVE_KEY)('%s is not recorded in the audit log', async (_, ask, expected) => {
  const before = await keyEventsOfTenant(tenant.console);
  expect(outcome(await ask())).toBe(expected);
  expect(await keyEventsOfTenant(tenant.console)).toEqual(before);
});

describe('refused requests for keys that the API key cannot access', () => {
  /**
   * Sends valid and malformed requests with three API keys: one has all actions, one has no actions, and one has a key
   * list without `id`. Returns the outcomes.
   */
  async function requestAll(id: string): Promise<string[]> {
    const { client: actionless } = await tenant.mint({ allowed_actions: [] });
    const { client: listed } = await tenant.mint({ key_ids: [key] });
    const outcomes: string[] = [];
    for (const client of [tenant.api, actionless, listed]) {
      for (const body of [BODY, { plaintext: 5 }]) {
        outcomes.push(outcome(await client.send('POST', `/v1/keys/${id}/encrypt`, body)));
      }
      outcomes.push(outcome(await client.send('DELETE', `/v1/keys/${id}`)));
    }
    return outcomes;
  }
  const REFUSALS = [
    ...['404 not_found', '400 invalid_request', '404 not_found'],
    ...['403 action_not_allowed', '403 action_not_allowed', '403 action_not_allowed'],
    ...['403 key_not_allowed', '403 key_not_allowed', '403 key_not_allowed'],
  ];

  test('a refused request for an unknown key id is not recorded in the audit log', async () => {
    const before = await keyEventsOfTenant(tenant.console);
    expect(await requestAll(randomUUID())).toEqual(REFUSALS);
    expect(await keyEventsOfTenant(tenant.console)).toEqual(before);
  });

  test('a refused request for a key in another container is not recorded in the audit log', async () => {
    const body = { name: randomUUID(), tier: 'software', container_id: container };
    const other = text(await tenant.console.send('POST', '/v1/keys', body), 'id');
    const before = await keyEventsOfTenant(tenant.console);
    expect(await requestAll(other)).toEqual(REFUSALS);
    expect(await keyEventsOfTenant(tenant.console)).toEqual(before);
    expect(inWords(await eventsOfKey(tenant.console, other))).toEqual(['create_key']);
  });

  test('a refused request for another tenant’s key is recorded in neither tenant’s audit log', async () => {
    const otherTenant = await makeTenant(stack);
    const foreignKey = await otherTenant.createKey('software');
    const before = await keyEventsOfTenant(tenant.console);
    expect(await requestAll(foreignKey)).toEqual(REFUSALS);
    expect(await keyEventsOfTenant(tenant.console)).toEqual(before);
    expect(inWords(await keyEventsOfTenant(otherTenant.console))).toEqual(['create_key']);
  });

  test('a refused request for a destroyed key is not recorded in the audit log', async () => {
    const destroyed = await tenant.createKey('software');
    await tenant.console.send('POST', `/v1/keys/${destroyed}/destroy`);
    const before = await keyEventsOfTenant(tenant.console);
    expect(await requestAll(destroyed)).toEqual(REFUSALS);
    expect(await keyEventsOfTenant(tenant.console)).toEqual(before);
    expect(inWords(await eventsOfKey(tenant.console, destroyed))).toEqual(['create_key', 'destroy_key']);
  });
});
