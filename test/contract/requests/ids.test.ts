import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { text } from '../../support/client.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
let keyId: string;
let upper: string;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  keyId = await tenant.createKey('wrapped');
  upper = keyId.toUpperCase();
});

test.each([
  ['GET', '', undefined],
  ['PATCH', '', { name: 'renamed' }],
  ['POST', '/rotate', undefined],
  ['DELETE', '', undefined],
  ['POST', '/restore', undefined],
])('%s /v1/keys/{id}%s accepts an uppercase id and answers with a lowercase id', async (method, operation, body) => {
  const answer = await tenant.api.send(method, `/v1/keys/${upper}${operation}`, body);
  expect([answer.status, text(answer, 'id')]).toEqual([200, keyId]);
});

test('the metered operations accept an uppercase id, and a ciphertext can be decrypted with the id in either case', async () => {
  const { api } = tenant;
  const ciphertext = text(await api.send('POST', `/v1/keys/${upper}/encrypt`, { plaintext: 'AAEC' }), 'ciphertext');
  const opened = await api.send('POST', `/v1/keys/${keyId}/decrypt`, { ciphertext });
  expect(opened.body).toEqual({ plaintext: 'AAEC' });
  const wrapped = text(await api.send('POST', `/v1/keys/${upper}/wrap`, {}), 'wrapped');
  expect((await api.send('POST', `/v1/keys/${upper}/unwrap`, { wrapped })).status).toBe(200);
  expect((await api.send('POST', `/v1/keys/${upper}/rewrap`, { ciphertext })).status).toBe(200);
});

test('the audit log shows the key id in lower case, even if requests used upper case', async () => {
  const events = await tenant.api.send('GET', `/v1/keys/${upper}/audit`);
  expect(events.status).toBe(200);
  expect(JSON.stringify(events.body)).toContain(keyId);
  expect(JSON.stringify(events.body)).not.toContain(upper);
});

test('POST /v1/keys/{id}/destroy accepts an uppercase id', async () => {
  const doomed = await tenant.createKey('wrapped');
  expect((await tenant.console.send('POST', `/v1/keys/${doomed.toUpperCase()}/destroy`)).status).toBe(204);
  expect((await tenant.console.send('GET', `/v1/keys/${doomed}`)).status).toBe(404);
});

test('request bodies accept uppercase ids, and answers contain lowercase ids', async () => {
  const { console } = tenant;
  const container = text(await console.send('POST', '/v1/containers', { name: randomUUID() }), 'id');
  const container_id = container.toUpperCase();
  const key = await console.send('POST', '/v1/keys', { name: 'k', tier: 'wrapped', container_id });
  expect(key.body).toMatchObject({ container_id: container });
  const firewall = await console.send('POST', '/v1/firewalls', { name: 'f', allowed_ips: ['::1'], container_id });
  expect(firewall.body).toMatchObject({ container_id: container });
  const restrictions = { key_ids: [text(key, 'id').toUpperCase()], firewall_id: text(firewall, 'id').toUpperCase() };
  const apiKey = await console.send('POST', '/v1/api-keys', { name: 'a', container_id, ...restrictions });
  const lower = { container_id: container, key_ids: [text(key, 'id')], firewall_id: text(firewall, 'id') };
  expect(apiKey.body).toMatchObject(lower);
  const changed = await console.send('PATCH', `/v1/api-keys/${text(apiKey, 'id')}`, restrictions);
  expect(changed.body).toMatchObject(lower);
});
