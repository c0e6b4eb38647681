import { beforeAll, expect, inject, test } from 'vitest';
import { makeTenant, type Tenant } from '../../../test/support/tenant.ts';
import { lineOf } from '../../../test/support/usage.ts';
import { createIndexKey, encryptedFields, recordInfo, rewrapIndexKey } from '../../src/fields/index.ts';
import { serviceOf } from './service.ts';

const stack = inject('stack');
let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
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
    const [keyId, service] = [await tenant.createKey(tier), serviceOf(tenant)];
    const fields = { email: { type: 'text', index: true } } as const;
    const indexKey = await createIndexKey(service, keyId);
    const before = encryptedFields(service, { keyId, table: 'people', fields, indexKey });
    const row = await before.encryptRow({ id: 'a', email: 'ada@example.org' });
    await service.rotateKey(keyId);
    before.forget();
    const [renewed] = await before.rewrapRows([row]);
    const after = encryptedFields(service, {
      keyId,
      table: 'people',
      fields,
      indexKey: await rewrapIndexKey(service, indexKey),
    });
    expect(await after.decryptRow(renewed ?? {})).toEqual({ id: 'a', email: 'ada@example.org' });
    expect(await after.index('email', 'ada@example.org')).toBe(row.email_index);
    expect(recordInfo(row.email)).toEqual({ keyId, version: null });
  },
);

test('a wrapped key’s records show their version, and rows and index keys of it cannot be rewrapped', async () => {
  const [keyId, service] = [await tenant.createKey('wrapped'), serviceOf(tenant)];
  const notes = encryptedFields(service, { keyId, table: 'notes', fields: { text: 'text' } });
  const row = await notes.encryptRow({ id: 1, text: 'x' });
  expect(recordInfo(row.text)).toEqual({ keyId, version: 1 });
  await expect(notes.rewrapRows([row])).rejects.toThrow(TypeError);
  await expect(createIndexKey(service, keyId)).rejects.toThrow('software or hsm');
});
