import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { setSubscription } from '../../support/billing.ts';
import { text } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { reachCap } from '../../support/usage.ts';

const stack = inject('stack');
const DAMAGED = Buffer.alloc(100).toString('base64');
const LARGE = Buffer.alloc(65_537).toString('base64');

/** Requests that pass every check except the last, because their ciphertext cannot be decrypted. */
const DAMAGED_REQUESTS = [
  ['decrypt', { ciphertext: DAMAGED }],
  ['unwrap', { wrapped: DAMAGED }],
  ['rewrap', { ciphertext: DAMAGED }],
] as const;
const GOOD_REQUESTS = [
  ['encrypt', { plaintext: 'AA==' }],
  ['wrap', {}],
] as const;
const ALL_REQUESTS = [...GOOD_REQUESTS, ...DAMAGED_REQUESTS];

/** Requests with an invalid field, and their refusals. */
const BAD_FIELDS = [
  ['encrypt', { plaintext: 'AA' }, '400 invalid_base64'],
  ['encrypt', { plaintext: '' }, '400 invalid_request'],
  ['encrypt', { plaintext: LARGE }, '413 payload_too_large'],
  ['encrypt', { plaintext: 'AA==', aad: '*' }, '400 invalid_base64'],
  ['encrypt', { plaintext: 'AA==', aad: LARGE }, '413 payload_too_large'],
  ['decrypt', { ciphertext: 'AA' }, '400 invalid_base64'],
  ['decrypt', { ciphertext: DAMAGED, aad: LARGE }, '413 payload_too_large'],
  ['wrap', { dek: 'AA' }, '400 invalid_base64'],
  ['wrap', { dek: 'AA==' }, '400 invalid_dek_length'],
  ['wrap', { aad: LARGE }, '413 payload_too_large'],
  ['unwrap', { wrapped: 'AA' }, '400 invalid_base64'],
  ['unwrap', { wrapped: DAMAGED, aad: LARGE }, '413 payload_too_large'],
  ['rewrap', { ciphertext: 'AA' }, '400 invalid_base64'],
  ['rewrap', { ciphertext: DAMAGED, aad: LARGE }, '413 payload_too_large'],
] as const;

describe('the order of checks for a free key', () => {
  let api: Client;
  let capped: string;
  let withPendingKey: Client;
  let pending: string;
  beforeAll(async () => {
    const [first, second] = [await makeTenant(stack), await makeTenant(stack)];
    ({ api } = first);
    capped = await first.createKey('free');
    await reachCap(stack, capped);
    withPendingKey = second.api;
    pending = await second.createKey('free');
    await reachCap(stack, pending);
    await withPendingKey.send('DELETE', `/v1/keys/${pending}`);
  });

  test.each(BAD_FIELDS)('%s with an unknown key gets 404, even if a field is invalid: %j', async (operation, body) => {
    expectRefusal(await api.send('POST', `/v1/keys/${randomUUID()}/${operation}`, body), '404 not_found');
  });

  test.each(BAD_FIELDS)(
    '%s with the fields %j gets %s, even if the key is pending deletion or has reached its monthly cap',
    async (operation, body, refusal) => {
      expectRefusal(await api.send('POST', `/v1/keys/${capped}/${operation}`, body), refusal);
      expectRefusal(await withPendingKey.send('POST', `/v1/keys/${pending}/${operation}`, body), refusal);
    },
  );

  test.each(ALL_REQUESTS)(
    '%s checks whether a free key is pending deletion before it checks the monthly cap',
    async (operation, body) => {
      expectRefusal(
        await withPendingKey.send('POST', `/v1/keys/${pending}/${operation}`, body),
        '409 key_pending_deletion',
      );
    },
  );

  test.each(ALL_REQUESTS)(
    '%s on a free key checks the monthly cap before any cryptography',
    async (operation, body) => {
      const answer = await api.send('POST', `/v1/keys/${capped}/${operation}`, body);
      expect([answer.status, Object(answer.body).error]).toEqual([429, 'ops_cap_reached']);
    },
  );

  test('decrypt with a wrong aad returns 429 if the key has reached its monthly cap', async () => {
    const tenant = await makeTenant(stack);
    const path = `/v1/keys/${await tenant.createKey('free')}`;
    const ciphertext = text(await tenant.api.send('POST', `${path}/encrypt`, { plaintext: 'AA==' }), 'ciphertext');
    await reachCap(stack, path.slice('/v1/keys/'.length));
    const answer = await tenant.api.send('POST', `${path}/decrypt`, { ciphertext, aad: 'AA==' });
    expect([answer.status, Object(answer.body).error]).toEqual([429, 'ops_cap_reached']);
  });
});

describe.each(['wrapped', 'software', 'hsm'] as const)('a %s key while billing is not in good standing', (tier) => {
  let tenant: Tenant;
  let keyId: string;
  let pending: string;
  beforeAll(async () => {
    tenant = await makeTenant(stack);
    keyId = await tenant.createKey(tier);
    pending = await tenant.createKey(tier);
    await tenant.api.send('DELETE', `/v1/keys/${pending}`);
    await setSubscription(stack, tenant.id, 'canceled');
  });
  const at = (id: string, operation: string) => `/v1/keys/${id}/${operation}`;

  test.each(BAD_FIELDS)(
    '%s with the fields %j gets %s, because the fields are checked before billing',
    async (operation, body, refusal) => {
      expectRefusal(await tenant.api.send('POST', at(keyId, operation), body), refusal);
    },
  );

  test.each(ALL_REQUESTS)(
    '%s checks whether the key is pending deletion before it checks billing',
    async (operation, body) => {
      expectRefusal(await tenant.api.send('POST', at(pending, operation), body), '409 key_pending_deletion');
    },
  );

  test.each([
    ['encrypt', { plaintext: 'AA==' }],
    ['wrap', {}],
    ['rewrap', { ciphertext: DAMAGED }],
  ])('%s checks billing before any cryptography', async (operation, body) => {
    expectRefusal(await tenant.api.send('POST', at(keyId, operation), body), '402 billing_required');
  });

  test.each([
    ['decrypt', { ciphertext: DAMAGED }],
    ['unwrap', { wrapped: DAMAGED }],
  ])('%s of a damaged ciphertext gets 400 invalid_ciphertext, not 402 billing_required', async (operation, body) => {
    expectRefusal(await tenant.api.send('POST', at(keyId, operation), body), '400 invalid_ciphertext');
  });
});

test.each(['restore'])(
  'the operation %s with an unknown key gets 404 even if the body is malformed',
  async (operation) => {
    const { api } = await makeTenant(stack);
    const path = `/v1/keys/${randomUUID()}/${operation}`;
    expectRefusal(
      await api.send('POST', path, undefined, { raw: '{', headers: { 'content-type': 'x/y' } }),
      '404 not_found',
    );
  },
);
