import { describe, expect, inject, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

const START = {
  'an active key': async (_tenant: Tenant, _path: string) => undefined,
  'a key pending deletion': (tenant: Tenant, path: string) => tenant.api.send('DELETE', path),
} as const;

describe.each(Object.entries(START))('destruction of %s', (_from, prepare) => {
  test('destroying a key returns 204 without a body, and the audit log names the user', async () => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey('software');
    await prepare(tenant, `/v1/keys/${id}`);
    const destroyed = await tenant.console.send('POST', `/v1/keys/${id}/destroy`);
    expect([destroyed.status, destroyed.body]).toEqual([204, undefined]);
    const [newest] = await eventsOfKey(tenant.api, id);
    const user = Object(Object((await tenant.console.send('GET', '/v1/me')).body).user);
    expect(newest).toMatchObject({ operation: 'destroy_key', result: 'success', api_key_id: null, user_id: user.id });
    expect(newest?.request_id).toBe(destroyed.headers.get('x-request-id'));
  });

  test('API keys and sessions get 404 from every route for a destroyed key, but can still read its audit log', async () => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey('wrapped');
    const path = `/v1/keys/${id}`;
    const ciphertext = text(await tenant.api.send('POST', `${path}/encrypt`, { plaintext: 'AAAA' }), 'ciphertext');
    const wrapped = text(await tenant.api.send('POST', `${path}/wrap`, {}), 'wrapped');
    const listed = (await tenant.mint({ key_ids: [id] })).client;
    await prepare(tenant, path);
    await tenant.console.send('POST', `${path}/destroy`);
    const rows = await eventsOfKey(tenant.console, id);
    const byBothCredentials = [
      ['GET', path],
      ['PATCH', path, { name: 'another' }],
      ['DELETE', path],
      ['POST', `${path}/rotate`],
      ['POST', `${path}/restore`],
    ] as const;
    const byApiKeys = [
      ['POST', `${path}/encrypt`, { plaintext: 'AAAA' }],
      ['POST', `${path}/decrypt`, { ciphertext }],
      ['POST', `${path}/wrap`, {}],
      ['POST', `${path}/unwrap`, { wrapped }],
      ['POST', `${path}/rewrap`, { ciphertext }],
    ] as const;
    for (const [method, at, body] of [...byBothCredentials, ...byApiKeys]) {
      expect([at, outcome(await tenant.api.send(method, at, body))]).toEqual([at, '404 not_found']);
      expect([at, outcome(await listed.send(method, at, body))]).toEqual([at, '404 not_found']);
    }
    for (const [method, at, body] of [...byBothCredentials, ['POST', `${path}/destroy`] as const]) {
      expect([at, outcome(await tenant.console.send(method, at, body))]).toEqual([at, '404 not_found']);
    }
    for (const client of [tenant.api, listed, tenant.console]) {
      expect((await client.send('GET', '/v1/keys')).body).toEqual([]);
      expect(await eventsOfKey(client, id)).toEqual(rows);
    }
  });

  test('destroying a key frees its name at once', async () => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey('software', 'orders');
    const other = await tenant.createKey('wrapped', 'invoices');
    await prepare(tenant, `/v1/keys/${id}`);
    expect(outcome(await tenant.api.send('PATCH', `/v1/keys/${other}`, { name: 'orders' }))).toBe('409 key_exists');
    await tenant.console.send('POST', `/v1/keys/${id}/destroy`);
    const created = await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'software' });
    expect(read(keyObject, created)).toMatchObject({ name: 'orders', state: 'active', primary_version: 1 });
    expect(text(created, 'id')).not.toBe(id);
  });

  test('a tenant can create a new free key immediately after destroying its free key', async () => {
    const tenant = await makeTenant(stack, 'none');
    const id = await tenant.createKey('free');
    await prepare(tenant, `/v1/keys/${id}`);
    await tenant.console.send('POST', `/v1/keys/${id}/destroy`);
    expect(outcome(await tenant.api.send('POST', '/v1/keys', { name: 'next', tier: 'free' }))).toBe('201');
  });

  test.each(['software', 'hsm'] as const)('destroying a %s key destroys all its versions in the KMS', async (tier) => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey(tier);
    for (let rotation = 1; rotation <= 3; rotation++) await tenant.api.send('POST', `/v1/keys/${id}/rotate`);
    await prepare(tenant, `/v1/keys/${id}`);
    await tenant.console.send('POST', `/v1/keys/${id}/destroy`);
    expect(await kmsVersionStates(stack, id)).toEqual(Array(4).fill('DESTROY_SCHEDULED'));
  });
});

test('a request to destroy another tenant’s key gets 404 and does not destroy the key', async () => {
  const [tenant, otherTenant] = [await makeTenant(stack), await makeTenant(stack)];
  const id = await tenant.createKey('wrapped');
  expect(outcome(await otherTenant.console.send('POST', `/v1/keys/${id}/destroy`))).toBe('404 not_found');
  expect(outcome(await tenant.api.send('GET', `/v1/keys/${id}`))).toBe('200');
});

test('concurrent destructions of a key are recorded once', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('hsm');
  const path = `/v1/keys/${id}/destroy`;
  const answers = await Promise.all([tenant.console.send('POST', path), tenant.console.send('POST', path)]);
  for (const answer of answers) expect(['204', '404 not_found']).toContain(outcome(answer));
  expect(inWords(await eventsOfKey(tenant.api, id))).toEqual(['create_key', 'destroy_key']);
});
