import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { eventsOfKey } from '../../support/audit.ts';
import { setSubscription } from '../../support/billing.ts';
import { type Extras, outcome, text } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { type Client, makeTenant, type Tenant, type Tier } from '../../support/tenant.ts';
import { transit } from '../../support/transit.ts';
import { reachCap } from '../../support/usage.ts';

/* Tests that Transit routes make the same checks as the native routes, in the same order. */
const stack = inject('stack');
const name = randomUUID();
let tenant: Tenant;
let api: Client;
let keyId: string;
let outside: Client;
let listedActionless: Client;
let actionless: Client;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  const { console, mint } = tenant;
  ({ api } = tenant);
  keyId = await tenant.createKey('software', name);
  const networks = { name: 'nowhere', allowed_ips: ['192.0.2.0/24'] };
  const firewall_id = text(await console.send('POST', '/v1/firewalls', networks), 'id');
  const other = await tenant.createKey('wrapped');
  outside = (await mint({ firewall_id, allowed_actions: [], key_ids: [other] })).client;
  listedActionless = (await mint({ key_ids: [other], allowed_actions: [] })).client;
  actionless = (await mint({ allowed_actions: [] })).client;
});

const ROUTES = [
  'encrypt/{name}',
  'decrypt/{name}',
  'rewrap/{name}',
  'datakey/plaintext/{name}',
  'datakey/wrapped/{name}',
  'keys/{name}/rotate',
];
const ENCODED = { 'content-encoding': 'gzip' };
const BAD_BODIES: readonly (readonly [string, Extras])[] = [
  ['415 unsupported_media_type', { raw: '{', headers: ENCODED }],
  ['413 payload_too_large', { raw: '{'.repeat(131_073) }],
  ['400 invalid_request', { raw: '{' }],
  ['400 invalid_request', { raw: '{"context":"AAAA"}' }],
];
/** Returns the request with its body as bytes, because fetch would add a content type to a text body. */
const bytesOf = ({ raw = '', ...extras }: Extras): Extras => ({ ...extras, raw: new Uint8Array(Buffer.from(raw)) });

describe.each(ROUTES)('order of checks in %s', (route) => {
  const to = (of: string) => `POST /${route.replace('{name}', of)}`;

  test('the firewall, the key list and the action are checked before the body, whether or not a key has the name', async () => {
    for (const [, extras] of BAD_BODIES) {
      for (const of of [name, randomUUID()]) {
        expectRefusal(await transit(outside, to(of), undefined, bytesOf(extras)), '403 ip_not_allowed');
        expectRefusal(await transit(listedActionless, to(of), undefined, bytesOf(extras)), '403 key_not_allowed');
        expectRefusal(await transit(actionless, to(of), undefined, bytesOf(extras)), '403 action_not_allowed');
      }
    }
  });

  test.each(BAD_BODIES)(
    'the body is checked before the key is looked up: an invalid body gets %s, even if no key has the name',
    async (refusal, extras) => {
      for (const of of [name, randomUUID()]) {
        expectRefusal(await transit(api, to(of), undefined, bytesOf(extras)), refusal);
      }
    },
  );
});

test('a Transit request with an invalid body is recorded in the same way as on the native route', async () => {
  const before = (await eventsOfKey(api, keyId)).length;
  const native = await api.send('POST', `/v1/keys/${keyId}/encrypt`, {});
  const answer = await transit(api, `POST /encrypt/${name}`, {});
  expect([outcome(native), outcome(answer)]).toEqual(['400 invalid_request', '400 invalid_request']);
  const [second, first] = await eventsOfKey(api, keyId);
  const ofBoth = [first, second].map((event) => [event?.operation, event?.error_code, event?.api_key_id]);
  expect(ofBoth).toEqual(Array(2).fill(['encrypt', 'invalid_request', tenant.apiKeyId]));
  expect(await eventsOfKey(api, keyId)).toHaveLength(before + 2);
});

describe('order of checks on a free key at its cap', () => {
  let own: Tenant;
  let capped: string;
  beforeAll(async () => {
    own = await makeTenant(stack);
    capped = await own.createKey('free', 'capped');
    await reachCap(stack, capped);
  });

  test.each([
    ['400 invalid_base64', 'encrypt', { plaintext: '*' }],
    ['400 invalid_request', 'encrypt', { plaintext: '' }],
    [
      '413 payload_too_large',
      'encrypt',
      { plaintext: 'AAAA', associated_data: Buffer.alloc(65_537).toString('base64') },
    ],
    ['400 invalid_ciphertext', 'decrypt', { ciphertext: 'AAAA' }],
    ['400 invalid_base64', 'rewrap', { ciphertext: 'vault:v1:*' }],
  ])('the fields are checked before the cap: an invalid field gets %s from %s', async (refusal, operation, body) => {
    expectRefusal(await transit(own.api, `POST /${operation}/capped`, body), refusal);
  });

  test.each([
    ['encrypt', { plaintext: 'AAAA' }],
    ['decrypt', { ciphertext: 'vault:v1:AAAA' }],
    ['rewrap', { ciphertext: 'vault:v1:AAAA' }],
    ['datakey/wrapped', {}],
  ])('the cap is checked before the cryptography of %s', async (operation, body) => {
    const answer = await transit(own.api, `POST /${operation}/capped`, body);
    expectRefusal(answer, '429 ops_cap_reached');
    expect(answer.body).toEqual({ errors: ['ops_cap_reached: monthly operation cap reached'] });
  });

  test('pending deletion is checked before the cap: encrypt gets 409', async () => {
    await own.api.send('DELETE', `/v1/keys/${capped}`);
    expectRefusal(await transit(own.api, 'POST /encrypt/capped', { plaintext: 'AAAA' }), '409 key_pending_deletion');
    expectRefusal(await transit(own.api, 'POST /keys/capped/rotate'), '400 invalid_request');
  });
});

test('while billing is not in good standing, Transit routes that make ciphertext get 402, and decrypt still works', async () => {
  const own = await makeTenant(stack);
  await own.createKey('wrapped', 'paid');
  const made = await transit(own.api, 'POST /encrypt/paid', { plaintext: 'AAAA' });
  const { ciphertext } = Object(Object(made.body).data);
  await setSubscription(stack, own.id, 'canceled');
  for (const [operation, body] of [
    ['encrypt', { plaintext: 'AAAA' }],
    ['rewrap', { ciphertext: 'vault:v1:AAAA' }],
    ['datakey/plaintext', {}],
  ] as const) {
    expectRefusal(await transit(own.api, `POST /${operation}/paid`, body), '402 billing_required');
  }
  expect((await transit(own.api, 'POST /decrypt/paid', { ciphertext })).status).toBe(200);
  expectRefusal(await transit(own.api, 'POST /keys/another', {}), '402 billing_required');
});

describe('metering after a name moves to another key', () => {
  /** Encrypts with a key named `moved`, then gives the name to a key of another tier. */
  async function moveName(from: Tier, to: Tier) {
    const own = await makeTenant(stack);
    const [former, next] = [await own.createKey(from, 'moved'), await own.createKey(to, randomUUID())];
    const encrypt = () => transit(own.api, 'POST /encrypt/moved', { plaintext: 'AAAA' });
    expect((await encrypt()).status).toBe(200);
    await own.api.send('PATCH', `/v1/keys/${former}`, { name: randomUUID() });
    await own.api.send('PATCH', `/v1/keys/${next}`, { name: 'moved' });
    return { own, next, encrypt };
  }

  test('after a name moves from a wrapped key to a free key at its cap, encrypt is refused with 429', async () => {
    const { next, encrypt } = await moveName('wrapped', 'free');
    await reachCap(stack, next);
    expectRefusal(await encrypt(), '429 ops_cap_reached');
  });

  test('after a name moves from a free key to a paid key, encrypt needs billing in good standing', async () => {
    const { own, encrypt } = await moveName('free', 'wrapped');
    await setSubscription(stack, own.id, 'canceled');
    expectRefusal(await encrypt(), '402 billing_required');
  });

  test('after a name moves from a paid key to a free key, encrypt works without good standing', async () => {
    const { own, encrypt } = await moveName('wrapped', 'free');
    await setSubscription(stack, own.id, 'canceled');
    expect((await encrypt()).status).toBe(200);
  });
});

describe('order of checks when a key is created', () => {
  test('a request to create a key checks the body, then the key list and the action, then the name and the tier', async () => {
    for (const [refusal, extras] of BAD_BODIES) {
      expectRefusal(await transit(listedActionless, 'POST /keys/new', undefined, bytesOf(extras)), refusal);
    }
    expectRefusal(await transit(listedActionless, 'POST /keys/%07', { tier: 'gold' }), '403 key_not_allowed');
    expectRefusal(await transit(actionless, 'POST /keys/%07', { tier: 'gold' }), '403 action_not_allowed');
    expectRefusal(await transit(api, 'POST /keys/%07', { tier: 'gold' }), '400 invalid_name');
    expectRefusal(await transit(api, `POST /keys/${'a'.repeat(129)}`, {}), '400 invalid_name');
    expectRefusal(await transit(api, `POST /keys/${name}`, { tier: 'gold' }), '400 invalid_tier');
    expectRefusal(await transit(api, `POST /keys/${name}`, { tier: 'hsm' }), '409 key_exists');
  });
});
