import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { makeTenant, type Tenant } from '../../../test/support/tenant.ts';
import { recordInfo } from '../../src/fields/index.ts';
import { DataKeys, EncryptionService } from '../../src/index.ts';
import { failureOf, serviceOf, signedIn } from '../support/objects.ts';

const stack = inject('stack');
let tenant: Tenant;
let service: EncryptionService;
let person: EncryptionService;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  service = serviceOf(tenant);
  person = signedIn(tenant.console);
});

test('the five operations encrypt, wrap and rewrap, also after a rotation', async () => {
  const { id } = await service.createKey({ name: 'operations', tier: 'software' });
  const plaintext = Uint8Array.from(randomBytes(65_536));
  const aad = Uint8Array.of(1);
  const { ciphertext } = await service.encrypt(id, { plaintext, aad });
  const error = await failureOf(service.decrypt(id, { ciphertext }));
  expect(error).toMatchObject({ code: 'invalid_ciphertext', status: 400, retryable: false });
  const made = await service.wrap(id);
  expect(made.dek).toHaveLength(32);
  expect(await service.unwrap(id, { wrapped: made.wrapped })).toEqual({ dek: made.dek });
  const dek = Uint8Array.from(randomBytes(16));
  const { wrapped, ...none } = await service.wrap(id, { dek, aad });
  expect(none).toEqual({});
  expect(await service.unwrap(id, { wrapped, aad })).toEqual({ dek });
  expect(await service.rotateKey(id)).toMatchObject({ primary_version: 2 });
  const renewed = await service.rewrap(id, { ciphertext, aad });
  expect(renewed.ciphertext).not.toEqual(ciphertext);
  for (const one of [ciphertext, renewed.ciphertext])
    expect(await service.decrypt(id, { ciphertext: one, aad })).toEqual({ plaintext });
});

test('a result of the library, converted to JSON, equals the service’s answer, with times to the microsecond', async () => {
  const { id } = await service.createKey({ name: 'as JSON', tier: 'software' });
  const { body } = await tenant.api.send('GET', `/v1/keys/${id}`);
  expect(JSON.parse(JSON.stringify(await service.getKey(id)))).toEqual(body);
});

test('what esk has no command for: single containers, firewalls and API keys, the billing pages and the documents', async () => {
  const container = await person.createContainer({ name: 'eu' });
  expect(await person.getContainer(container.id)).toEqual(container);
  const networks = { name: 'home', allowed_ips: ['127.0.0.1'], container_id: container.id };
  const firewall = await person.createFirewall(networks);
  expect(await person.getFirewall(firewall.id)).toEqual(firewall);
  const { token, ...apiKey } = await person.createApiKey({ name: 'app', container_id: container.id });
  expect(token).toMatch(/^esk_/);
  expect(await person.getApiKey(apiKey.id)).toEqual(apiKey);
  expect((await person.openPortal()).url).toMatch(/^http/);
  expect(await failureOf(person.startCheckout())).toMatchObject({ code: 'billing_active' });
  expect(await service.live()).toEqual({ status: 'ok' });
  expect(await service.ready()).toMatchObject({ status: 'ok' });
  expect(await service.openapi()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
});

test.each(['software', 'hsm'] as const)('a record of a %s key does not show the version of the key', async (tier) => {
  const keyId = await tenant.createKey(tier);
  const record = await new DataKeys(service).encrypt(keyId, Uint8Array.of(1));
  expect(recordInfo(record)).toEqual({ keyId, version: null });
});

describe('lost answers', () => {
  // The rules are tested with a scripted server. These tests show that the service's answers lead to the same results.

  /** Returns a client that drops the first answer to a method and path, after the service has performed the request. */
  function clientLosing(lost: string, client = tenant.api): { service: EncryptionService; calls: string[] } {
    const calls: string[] = [];
    const flaky: typeof fetch = async (url, init) => {
      const call = `${init?.method} ${new URL(String(url)).pathname}`;
      const response = await fetch(url, init);
      calls.push(call);
      if (call !== lost || calls.filter((one) => one === lost).length > 1) return response;
      await response.text();
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('read'), { code: 'ECONNRESET' }) });
    };
    const { token = '' } = client;
    return { service: new EncryptionService({ url: stack.baseUrl, accessToken: () => token, fetch: flaky }), calls };
  }

  test('if the answer to a key creation is lost, the client finds the created key and does not create a second key', async () => {
    const { service, calls } = clientLosing('POST /v1/keys');
    const key = await service.createKey({ name: 'found again', tier: 'software' });
    expect((await service.listKeys()).filter(({ name }) => name === 'found again')).toEqual([key]);
    expect(calls.filter((call) => call === 'POST /v1/keys')).toHaveLength(1);
  });

  test('after a lost answer, a created container or firewall is found, but the creation of an API key fails with answer_lost', async () => {
    const containers = clientLosing('POST /v1/containers', tenant.console);
    const container = await containers.service.createContainer({ name: 'lost and found' });
    expect(await containers.service.getContainer(container.id)).toEqual(container);

    const wanted = { name: 'lost and found', allowed_ips: ['2001:DB8::0', '192.0.2.0/24'] };
    const firewalls = clientLosing('POST /v1/firewalls', tenant.console);
    expect(await firewalls.service.createFirewall(wanted)).toMatchObject({ name: 'lost and found' });
    expect(firewalls.calls.filter((call) => call === 'POST /v1/firewalls')).toHaveLength(1);

    const apiKeys = clientLosing('POST /v1/api-keys', tenant.console);
    const creation = apiKeys.service.createApiKey({ name: 'lost and found' });
    expect(await failureOf(creation)).toMatchObject({ code: 'answer_lost' });
    expect((await apiKeys.service.listApiKeys()).filter(({ name }) => name === 'lost and found')).toHaveLength(1);
  });
});
