import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { makeTenant, signIn, type Tenant } from '../../../test/support/tenant.ts';
import type { EncryptionService } from '../../src/service.ts';
import { failureOf, serviceOf, signedIn } from '../support/service.ts';

const stack = inject('stack');
let tenant: Tenant;
let service: EncryptionService;
let person: EncryptionService;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  service = serviceOf(tenant);
  person = signedIn(tenant.console);
});

describe('the five operations', () => {
  let keyId: string;
  beforeAll(async () => {
    ({ id: keyId } = await service.createKey({ name: 'operations', tier: 'software' }));
  });

  test.each([1, 65_536])('%i bytes are encrypted and decrypted', async (length) => {
    const plaintext = Uint8Array.from(randomBytes(length));
    const aad = new TextEncoder().encode('order 42');
    const { ciphertext } = await service.encrypt(keyId, { plaintext, aad });
    expect(await service.decrypt(keyId, { ciphertext, aad })).toEqual({ plaintext });
    const error = await failureOf(service.decrypt(keyId, { ciphertext }));
    expect(error).toMatchObject({ code: 'invalid_ciphertext', status: 400, retryable: false });
  });

  test('wrap creates a data key or wraps a given data key, and unwrap returns the data key', async () => {
    const made = await service.wrap(keyId);
    expect(made.dek).toHaveLength(32);
    expect(await service.unwrap(keyId, { wrapped: made.wrapped })).toEqual({ dek: made.dek });
    const dek = Uint8Array.from(randomBytes(16));
    const given = await service.wrap(keyId, { dek, aad: Uint8Array.of(1) });
    expect(given).not.toHaveProperty('dek');
    expect(await service.unwrap(keyId, { wrapped: given.wrapped, aad: Uint8Array.of(1) })).toEqual({ dek });
  });

  test('after a rotation, rewrapped ciphertext decrypts to the same plaintext', async () => {
    const plaintext = new TextEncoder().encode('Hello');
    const { ciphertext } = await service.encrypt(keyId, { plaintext });
    const rotated = await service.rotateKey(keyId);
    expect(rotated.primary_version).toBe(2);
    const renewed = await service.rewrap(keyId, { ciphertext });
    expect(renewed.ciphertext).not.toEqual(ciphertext);
    expect(await service.decrypt(keyId, renewed)).toEqual({ plaintext });
  });
});

test('a key is created, found, renamed, deleted, restored and destroyed', async () => {
  const created = await service.createKey({ name: 'life', tier: 'wrapped' });
  expect(created).toMatchObject({ name: 'life', tier: 'wrapped', state: 'active', destroy_after: null });
  expect(created.created_at).toBeInstanceOf(Date);
  expect(await service.getKey(created.id)).toEqual(created);
  expect(await service.listKeys()).toContainEqual(created);
  expect(await service.renameKey(created.id, { name: 'afterlife' })).toEqual({ ...created, name: 'afterlife' });
  const deleted = await service.deleteKey(created.id);
  const [requested, due] = [deleted.delete_requested_at, deleted.destroy_after];
  expect((due?.getTime() ?? 0) - (requested?.getTime() ?? 0)).toBe(7 * 24 * 60 * 60 * 1000);
  expect(await failureOf(service.rotateKey(created.id))).toMatchObject({ code: 'key_pending_deletion', status: 409 });
  expect(await service.restoreKey(created.id)).toMatchObject({ state: 'active', destroy_after: null });
  expect(await failureOf(service.destroyKey(created.id))).toMatchObject({ code: 'session_required' });
  expect(await person.destroyKey(created.id)).toBeUndefined();
  expect(await failureOf(service.getKey(created.id))).toMatchObject({ code: 'not_found', status: 404 });
});

test('a result of the library, converted to JSON, equals the service’s answer, with times to the microsecond', async () => {
  const { id } = await service.createKey({ name: 'as JSON', tier: 'software' });
  const { body } = await tenant.api.send('GET', `/v1/keys/${id}`);
  expect(JSON.parse(JSON.stringify(await service.getKey(id)))).toEqual(body);
});

test('operations appear in the usage report and in the audit log', async () => {
  const { id } = await service.createKey({ name: 'reports', tier: 'wrapped' });
  await service.encrypt(id, { plaintext: Uint8Array.of(1) });
  await failureOf(service.decrypt(id, { ciphertext: Uint8Array.of(1) }));
  const usage = await service.readUsage();
  expect(usage.find((line) => line.key_id === id)).toMatchObject({ ops: 1, cap: 50_000 });
  const events = await Array.fromAsync(service.readKeyAudit(id));
  expect(events.map(({ operation, error_code }) => [operation, error_code])).toEqual([
    ['decrypt', 'invalid_ciphertext'],
    ['encrypt', null],
    ['create_key', null],
  ]);
  const [, encryption, creation] = events;
  const window = { since: creation?.ts ?? new Date(0), until: encryption?.ts ?? new Date(0) };
  expect(await Array.fromAsync(service.readKeyAudit(id, window))).toEqual([creation]);
  const failed = await Array.fromAsync(person.readAudit({ operation: 'decrypt', result: 'error' }));
  expect(failed.filter((event) => event.key_id === id)).toEqual(events.slice(0, 1));
});

test('every audit event is listed once, whatever the size of the pages', async () => {
  const { id } = await service.createKey({ name: 'pages', tier: 'wrapped' });
  for (let at = 0; at < 7; at++) await service.encrypt(id, { plaintext: Uint8Array.of(at) });
  const all = await Array.fromAsync(service.readKeyAudit(id));
  expect(all).toHaveLength(8);
  expect(new Set(all.map((event) => event.id)).size).toBe(8);
  expect(await Array.fromAsync(service.readKeyAudit(id, { limit: 3 }))).toEqual(all);
  expect(await Array.fromAsync(person.readAudit({ key_id: id, limit: 2 }))).toEqual(all);
  expect((await Array.fromAsync(person.readAudit({ limit: 5 }))).length).toBeGreaterThan(8);
});

test('the daily usage report counts the operations of each day', async () => {
  const { id } = await service.createKey({ name: 'by day', tier: 'wrapped' });
  await service.encrypt(id, { plaintext: Uint8Array.of(1) });
  const lines = await service.readUsageDaily({ key_id: id });
  expect(lines).toEqual([
    { day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), key_id: id, container_id: expect.any(String), ops: 1 },
  ]);
});

test('the library can read the settings for a sign-in', async () => {
  const signIn = await service.signIn();
  expect(signIn).toEqual({
    issuer: expect.stringMatching(/^http/),
    client_id: expect.any(String),
    scope: expect.stringContaining('openid'),
    audience: expect.any(String),
    workload_issuers: [{ issuer: expect.stringMatching(/^http/), claims: ['sub', 'repository_id'] }],
  });
});

test('the request id of an error is also in the audit log', async () => {
  const { id } = await service.createKey({ name: 'request ids', tier: 'wrapped' });
  const { requestId } = await failureOf(service.decrypt(id, { ciphertext: Uint8Array.of(1) }));
  const [event] = await Array.fromAsync(service.readKeyAudit(id, { limit: 1 }));
  expect(event).toMatchObject({ request_id: requestId });
});

test('a signed-in person can manage containers, firewalls and API keys', async () => {
  const me = await person.me();
  expect(me).toMatchObject({ tenant: { id: tenant.id }, role: 'owner' });
  const container = await person.createContainer({ name: 'eu' });
  expect(await person.listContainers()).toContainEqual(container);
  expect(await person.renameContainer(container.id, { name: 'europe' })).toEqual({ ...container, name: 'europe' });
  expect(await person.getContainer(container.id)).toMatchObject({ name: 'europe', is_default: false });

  const home = { name: 'home', allowed_ips: ['127.0.0.1', '::1'], container_id: container.id };
  const firewall = await person.createFirewall(home);
  expect(firewall.allowed_ips).toEqual(['127.0.0.1/32', '::1/128']);
  expect(await person.listFirewalls()).toEqual([firewall]);
  expect(await person.updateFirewall(firewall.id, { allowed_ips: ['127.0.0.0/8'] })).toMatchObject({ name: 'home' });
  expect(await person.getFirewall(firewall.id)).toMatchObject({ allowed_ips: ['127.0.0.0/8'] });

  const wanted = { name: 'app', allowed_actions: ['encrypt' as const], container_id: container.id };
  const { token, ...apiKey } = await person.createApiKey({ ...wanted, firewall_id: firewall.id });
  expect(token).toMatch(/^esk_/);
  expect(await person.getApiKey(apiKey.id)).toEqual(apiKey);
  expect(await person.listApiKeys()).toContainEqual(apiKey);
  expect(await person.updateApiKey(apiKey.id, { firewall_id: null })).toMatchObject({ firewall_id: null });
  expect(await failureOf(person.deleteContainer(container.id))).toMatchObject({ code: 'container_not_empty' });
  await person.revokeApiKey(apiKey.id);
  await person.deleteFirewall(firewall.id);
  await person.deleteContainer(container.id);
  expect(await failureOf(person.getContainer(container.id))).toMatchObject({ code: 'not_found' });
});

test('a signed-in person can read billing and open the billing portal', async () => {
  expect(await person.readBilling()).toMatchObject({ standing: 'good', subscription: { status: 'active' } });
  expect(await person.readStatement()).toMatchObject({ currency: 'usd' });
  expect((await person.openPortal()).url).toMatch(/^http/);
  expect(await failureOf(person.startCheckout())).toMatchObject({ code: 'billing_active' });
});

test('the library can read the health checks and the OpenAPI document', async () => {
  expect(await service.live()).toEqual({ status: 'ok' });
  expect(await service.ready()).toMatchObject({ status: 'ok' });
  expect(await service.openapi()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
});

test('the library can invite and admit members, change their roles and remove them', async () => {
  await person.renameTenant('Acme');
  const { token, ...invitation } = await person.inviteMember({ role: 'admin' });
  expect(invitation).toMatchObject({ role: 'admin', note: null, expires_at: expect.any(Date) });
  expect(await person.listInvitations()).toContainEqual(invitation);
  const guest = signedIn(await signIn(stack, randomUUID()));
  expect(await guest.previewInvitation(token)).toMatchObject({ tenant_name: 'Acme', role: 'admin' });
  const me = await guest.acceptInvitation(token);
  expect(me).toMatchObject({ tenant: { id: tenant.id, name: 'Acme' }, role: 'admin' });
  expect(await guest.me()).toEqual(me);
  expect(await person.changeRole(me.user.id, 'auditor')).toMatchObject({ user_id: me.user.id, role: 'auditor' });
  expect(await failureOf(guest.renameTenant('Hers'))).toMatchObject({ code: 'role_not_allowed', status: 403 });
  await guest.removeMember(me.user.id);
  expect(await failureOf(person.removeMember(me.user.id))).toMatchObject({ code: 'not_found' });
  const left = await Array.fromAsync(person.readAudit({ target_id: me.user.id }));
  expect(left.map(({ operation }) => operation)).toEqual(['remove_member', 'change_role']);
  expect(await person.renameTenant(null)).toMatchObject({ id: tenant.id, name: null });
});
