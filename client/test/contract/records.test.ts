import { beforeAll, expect, inject, test } from 'vitest';
import { rotate } from '../../../test/support/operations.ts';
import { makeTenant, type Tenant } from '../../../test/support/tenant.ts';
import { lineOf } from '../../../test/support/usage.ts';
import { createIndexKey, encryptedFields, recordInfo, rewrapIndexKey } from '../../src/fields/index.ts';
import { DataKeys, decryptStream, type EncryptionService, encryptStream, rewrapHeader } from '../../src/index.ts';
import { serviceOf } from '../support/service.ts';
import { drain, streamOf } from '../support/streams.ts';

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

test('a wrapped key’s records show their version, and rows and index keys of it cannot be rewrapped', async () => {
  const keyId = await tenant.createKey('wrapped');
  const notes = encryptedFields(service, { keyId, table: 'notes', fields: { text: 'text' } });
  const row = await notes.encryptRow({ id: 1, text: 'x' });
  expect(recordInfo(row.text)).toEqual({ keyId, version: 1 });
  await expect(notes.rewrapRows([row])).rejects.toThrow(TypeError);
  await expect(createIndexKey(service, keyId)).rejects.toThrow('software or hsm');
});

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
