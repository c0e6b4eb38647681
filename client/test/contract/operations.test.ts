import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { rotate } from '../../../test/support/operations.ts';
import { makeTenant, type Tenant } from '../../../test/support/tenant.ts';
import { lineOf } from '../../../test/support/usage.ts';
import { createIndexKey, encryptedFields, recordInfo, rewrapIndexKey } from '../../src/fields/index.ts';
import { DataKeys, decryptStream, EncryptionService, encryptStream, rewrapHeader } from '../../src/index.ts';
import { failureOf, serviceOf, signedIn } from '../support/objects.ts';
import { drain, streamOf } from '../support/streams.ts';

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

test('a result of the library, converted to JSON, equals the service’s answer, with times to the microsecond', async () => {
  const { id } = await service.createKey({ name: 'as JSON', tier: 'software' });
  const { body } = await tenant.api.send('GET', `/v1/keys/${id}`);
  expect(JSON.parse(JSON.stringify(await service.getKey(id)))).toEqual(body);
});

test('operations appear in the usage report and in the audit log', async () => {
  const { id } = await service.createKey({ name: 'reports', tier: 'wrapped' });
  await service.encrypt(id, { plaintext: Uint8Array.of(1) });
  const { requestId } = await failureOf(service.decrypt(id, { ciphertext: Uint8Array.of(1) }));
  const usage = await service.readUsage();
  expect(usage.find((line) => line.key_id === id)).toMatchObject({ ops: 1, cap: 50_000 });
  const daily = { day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), key_id: id, ops: 1 };
  expect(await service.readUsageDaily({ key_id: id })).toMatchObject([daily]);
  const events = await Array.fromAsync(service.readKeyAudit(id));
  expect(events.map(({ operation, error_code }) => [operation, error_code])).toEqual([
    ['decrypt', 'invalid_ciphertext'],
    ['encrypt', null],
    ['create_key', null],
  ]);
  expect(events[0]).toMatchObject({ request_id: requestId });
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

describe('records, fields and files', () => {
  // The rules of records, fields and files are tested with the fake. These tests are what only the service can show.

  let tenant: Tenant;
  let service: EncryptionService;
  beforeAll(async () => {
    tenant = await makeTenant(inject('stack'));
    service = serviceOf(tenant);
  });

  const FIELDS = { diagnosis: 'text', notes: 'json', scan: 'bytes' } as const;

  test('by the service’s count, a thousand rows of three fields cost one wrap, and one unwrap in another process', async () => {
    const keyId = await tenant.createKey('software');
    const open = () => encryptedFields(serviceOf(tenant), { keyId, table: 'patients', fields: FIELDS });
    const rows = Array.from({ length: 1_000 }, (_, id) => ({
      id,
      diagnosis: 'flu',
      notes: [id],
      scan: Uint8Array.of(1),
    }));
    const here = open();
    const encrypted = await here.encryptRows(rows);
    expect(await lineOf(tenant.api, keyId)).toMatchObject({ ops: 1 });
    expect(await here.decryptRows(encrypted)).toEqual(rows);
    expect(await lineOf(tenant.api, keyId)).toMatchObject({ ops: 1 });
    expect(await open().decryptRows(encrypted)).toEqual(rows);
    expect(await lineOf(tenant.api, keyId)).toMatchObject({ ops: 2 });
  });

  test.each(['software', 'hsm'] as const)(
    'after a rotation of a %s key, rewrapped rows and index keys still read and search',
    async (tier) => {
      const keyId = await tenant.createKey(tier);
      const fields = { email: { type: 'text', index: true } } as const;
      const indexKey = await createIndexKey(service, keyId);
      const before = encryptedFields(service, { keyId, table: 'people', fields, indexKey });
      const row = await before.encryptRow({ id: 'a', email: 'ada@example.org' });
      await service.rotateKey(keyId);
      before.forget();
      const [renewed] = await before.rewrapRows([row]);
      const renewedKey = await rewrapIndexKey(service, indexKey);
      const after = encryptedFields(service, { keyId, table: 'people', fields, indexKey: renewedKey });
      expect(await after.decryptRow(renewed ?? {})).toEqual({ id: 'a', email: 'ada@example.org' });
      expect(await after.index('email', 'ada@example.org')).toBe(row.email_index);
      expect(recordInfo(row.email)).toEqual({ keyId, version: null });
    },
  );

  test('a rewrap remembers nothing: after a second rotation, records and files are rewrapped with the newest version', async () => {
    const keyId = await tenant.createKey('software');
    const [context, dataKeys] = [Buffer.from('shop'), new DataKeys(service)];
    const records = await Promise.all(['1', '2'].map((row) => dataKeys.encrypt(keyId, Buffer.from(row), { context })));
    const through = (file: Buffer, transform: ReturnType<typeof encryptStream>) =>
      drain(streamOf(file).pipeThrough(transform));
    const { output: file } = await through(Buffer.from('plain'), encryptStream(service, keyId, { context }));
    const rewrapAll = async () => ({
      records: await Promise.all(records.map((record) => dataKeys.rewrap(record, { context }))),
      file: (await through(file, rewrapHeader(service, { context }))).output,
    });
    await rotate(tenant.api, keyId, 1);
    await rewrapAll();
    await rotate(tenant.api, keyId, 1);
    const renewed = await rewrapAll();
    await rotate(tenant.api, keyId, 2);
    dataKeys.forget();
    const opened = await Promise.all(renewed.records.map((record) => dataKeys.decrypt(record, { context })));
    expect(opened.map((bytes) => Buffer.from(bytes).toString())).toEqual(['1', '2']);
    expect(await through(renewed.file, decryptStream(service, { context }))).toEqual({ output: Buffer.from('plain') });
    const gone = { code: 'invalid_ciphertext' };
    await expect(dataKeys.decrypt(records[0] ?? Buffer.of(), { context })).rejects.toMatchObject(gone);
    expect(await through(file, decryptStream(service, { context }))).toMatchObject({ error: gone });
  });
});

describe('lost answers', () => {
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
});
