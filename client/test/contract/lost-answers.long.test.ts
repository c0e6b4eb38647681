import { beforeAll, expect, inject, test } from 'vitest';
import { makeTenant, type Tenant } from '../../../test/support/tenant.ts';
import { EncryptionService } from '../../src/service.ts';
import { failureOf } from '../support/service.ts';

const stack = inject('stack');
let tenant: Tenant;

beforeAll(async () => {
  tenant = await makeTenant(stack);
});

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

test('a rotation whose answer is lost is not repeated, and the caller receives answer_lost', async () => {
  const { id } = await clientLosing('').service.createKey({ name: 'rotated once', tier: 'software' });
  const { service } = clientLosing(`POST /v1/keys/${id}/rotate`);
  expect(await failureOf(service.rotateKey(id))).toMatchObject({ code: 'answer_lost', retryable: false });
  expect(await service.getKey(id)).toMatchObject({ primary_version: 2 });
});

test('an encryption whose answer is lost is sent again and counted twice', async () => {
  const { id } = await clientLosing('').service.createKey({ name: 'counted', tier: 'wrapped' });
  const { service } = clientLosing(`POST /v1/keys/${id}/encrypt`);
  const { ciphertext } = await service.encrypt(id, { plaintext: Uint8Array.of(1) });
  const usage = await service.readUsage();
  expect(usage.find((line) => line.key_id === id)).toMatchObject({ ops: 2 });
  expect(await service.decrypt(id, { ciphertext })).toEqual({ plaintext: Uint8Array.of(1) });
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
