import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { rotate } from '../../../test/support/operations.ts';
import { makeTenant, type Tenant } from '../../../test/support/tenant.ts';
import { DataKeys, type EncryptionService } from '../../src/index.ts';
import { serviceOf } from './service.ts';

let tenant: Tenant;
let service: EncryptionService;
let keyId: string;
beforeAll(async () => {
  tenant = await makeTenant(inject('stack'));
  service = serviceOf(tenant);
});
beforeEach(async () => {
  keyId = await tenant.createKey('software');
});

/** Returns the number of operations that the service has counted for the test's key. */
async function operations(): Promise<number | undefined> {
  return (await service.readUsage()).find((line) => line.key_id === keyId)?.ops;
}

const text = (some: string) => Buffer.from(some);
const plaintext = text('4111 1111 1111 1111');
const context = text('payments.card_number');

describe('records', () => {
  test.each([0, 1, 16_383, 16_384, 100_000])('a record of %i bytes is encrypted and decrypted', async (length) => {
    const contents = randomBytes(length);
    const record = await new DataKeys(service).encrypt(keyId, contents, { context });
    expect(contents.equals(await new DataKeys(service).decrypt(record, { context }))).toBe(true);
  });

  test('encrypting many records costs one operation, and decrypting them with the same DataKeys object costs none', async () => {
    const dataKeys = new DataKeys(service);
    const records = await Promise.all(Array.from({ length: 200 }, (_, row) => dataKeys.encrypt(keyId, text(`${row}`))));
    const opened = await Promise.all(records.map((record) => dataKeys.decrypt(record)));
    expect(opened.map((bytes) => Buffer.from(bytes).toString())).toEqual(records.map((_, row) => `${row}`));
    expect(await operations()).toBe(1);
  });

  test('decrypting several records of one data key costs one operation', async () => {
    const dataKeys = new DataKeys(service);
    const records = await Promise.all([1, 2, 3].map(() => dataKeys.encrypt(keyId, plaintext)));
    const reader = new DataKeys(service);
    await Promise.all(records.map((record) => reader.decrypt(record)));
    expect(await operations()).toBe(2);
  });

  test('two records with the same contents have different ciphertexts', async () => {
    const dataKeys = new DataKeys(service);
    const [one, other] = [await dataKeys.encrypt(keyId, plaintext), await dataKeys.encrypt(keyId, plaintext)];
    expect(Buffer.from(one.subarray(-plaintext.length - 72)).equals(other.subarray(-plaintext.length - 72))).toBe(
      false,
    );
  });
});

describe('new data keys', () => {
  const encryptAll = async (dataKeys: DataKeys, count: number, context?: Buffer) => {
    for (let done = 0; done < count; done++) await dataKeys.encrypt(keyId, plaintext, { context });
  };

  test('each context has a separate data key', async () => {
    const dataKeys = new DataKeys(service);
    await encryptAll(dataKeys, 2, text('one'));
    await encryptAll(dataKeys, 2, text('other'));
    await encryptAll(dataKeys, 2);
    expect(await operations()).toBe(3);
  });

  test('a new data key is made after the maximum number of records', async () => {
    await encryptAll(new DataKeys(service, { maxMessages: 3 }), 7);
    expect(await operations()).toBe(3);
  });

  test('a new data key is made before the maximum number of bytes is exceeded', async () => {
    await encryptAll(new DataKeys(service, { maxBytes: 2 * plaintext.length + 1 }), 5);
    expect(await operations()).toBe(3);
  });

  test('a new data key is made after the maximum age', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const dataKeys = new DataKeys(service, { maxAgeMs: 3_600_000 });
    await encryptAll(dataKeys, 2);
    vi.setSystemTime(Date.now() + 3_600_000);
    await encryptAll(dataKeys, 1);
    expect(await operations()).toBe(2);
  });

  test('a new data key is made if other data keys have pushed the old one out of the cache', async () => {
    const dataKeys = new DataKeys(service, { maxKeys: 2 });
    for (const context of ['one', 'two', 'three', 'one']) await encryptAll(dataKeys, 1, text(context));
    expect(await operations()).toBe(4);
  });

  test('a new data key is made after the application forgets its data keys', async () => {
    const dataKeys = new DataKeys(service);
    await encryptAll(dataKeys, 1);
    dataKeys.forget();
    await encryptAll(dataKeys, 1);
    expect(await operations()).toBe(2);
  });

  test('if the request for a data key fails, the next call requests one again', async () => {
    const dataKeys = new DataKeys(service);
    await tenant.api.send('DELETE', `/v1/keys/${keyId}`);
    await expect(encryptAll(dataKeys, 1)).rejects.toMatchObject({ code: 'key_pending_deletion' });
    await tenant.api.send('POST', `/v1/keys/${keyId}/restore`);
    await encryptAll(dataKeys, 1);
    expect(await operations()).toBe(1);
  });
});

describe('refused records', () => {
  const recordId = text('row 1');
  let dataKeys: DataKeys;
  let record: Uint8Array;
  beforeEach(async () => {
    dataKeys = new DataKeys(service);
    record = await dataKeys.encrypt(keyId, plaintext, { context, recordId });
  });

  test.each([
    ['a different context', { context: text('other'), recordId }, 'invalid_ciphertext'],
    ['no context', { recordId }, 'invalid_ciphertext'],
    ['a different record id', { context, recordId: text('row 2') }, 'invalid_record'],
    ['no record id', { context }, 'invalid_record'],
  ])('decrypting a record with %s is refused, even if its data key is cached', async (_, options, code) => {
    await expect(dataKeys.decrypt(record, options)).rejects.toMatchObject({ code });
  });

  test('a record is refused if the caller passes part of its record id as the context', async () => {
    const shared = await dataKeys.encrypt(keyId, plaintext, { recordId: text('ab') });
    await expect(dataKeys.decrypt(shared, { context: text('a'), recordId: text('b') })).rejects.toMatchObject({
      code: 'invalid_ciphertext',
    });
  });

  test('a record is refused if any byte is changed', async () => {
    for (let at = 0; at < record.length; at++) {
      const changed = Buffer.from(record);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(dataKeys.decrypt(changed, { context, recordId }), `byte ${at}`).rejects.toMatchObject({
        code: expect.toBeOneOf(['invalid_record', 'invalid_ciphertext', 'not_found', 'invalid_request']),
      });
    }
  });

  test('a truncated record is refused', async () => {
    for (const length of [0, 1, 18, 19, 40, record.length - 16, record.length - 1]) {
      await expect(dataKeys.decrypt(record.subarray(0, length), { context, recordId })).rejects.toMatchObject({
        code: expect.toBeOneOf(['invalid_record', 'invalid_request']),
      });
    }
  });

  test('a record that contains the ciphertext of another record is refused', async () => {
    const other = Buffer.from(await new DataKeys(service).encrypt(keyId, plaintext, { context, recordId }));
    const contents = record.length - plaintext.length - 72;
    const mixed = Buffer.concat([record.subarray(0, contents), other.subarray(contents)]);
    await expect(dataKeys.decrypt(mixed, { context, recordId })).rejects.toMatchObject({ code: 'invalid_record' });
  });
});

test('a rewrap remembers nothing: after a second rotation, the same record is rewrapped with the newest version', async () => {
  const dataKeys = new DataKeys(service);
  const records = await Promise.all([1, 2, 3].map((row) => dataKeys.encrypt(keyId, text(`${row}`), { context })));
  await rotate(tenant.api, keyId, 1);
  const rewrapAll = () => Promise.all(records.map((record) => dataKeys.rewrap(record, { context })));
  await rewrapAll();
  await rotate(tenant.api, keyId, 1);
  const rewrapped = await rewrapAll();
  await rotate(tenant.api, keyId, 2);
  dataKeys.forget();
  const opened = await Promise.all(rewrapped.map((record) => dataKeys.decrypt(record, { context })));
  expect(opened.map((bytes) => Buffer.from(bytes).toString())).toEqual(['1', '2', '3']);
  await expect(dataKeys.decrypt(records[0] ?? text(''), { context })).rejects.toMatchObject({
    code: 'invalid_ciphertext',
  });
});

test('if one caller aborts, another caller that waits for the same data key still receives it', async () => {
  const dataKeys = new DataKeys(service);
  const impatient = dataKeys.encrypt(keyId, plaintext, { signal: AbortSignal.abort() });
  const patient = dataKeys.encrypt(keyId, plaintext);
  await expect(impatient).rejects.toMatchObject({ code: 'aborted' });
  expect(plaintext.equals(await dataKeys.decrypt(await patient))).toBe(true);
});

test.each([
  ['a malformed key id', () => new DataKeys(service).encrypt('orders', plaintext), TypeError],
  ['an unknown key', () => new DataKeys(service).encrypt(randomUUID(), plaintext), 'not found'],
  [
    'a record that is larger than the byte limit of a data key',
    () => new DataKeys(service, { maxBytes: 5 }).encrypt(keyId, plaintext),
    RangeError,
  ],
])('%s is refused', async (_, attempt, error) => {
  await expect(attempt()).rejects.toThrow(error);
});

test.each([0, -1, 1.5, Number.NaN])('the value %d is refused for every limit of DataKeys', (limit) => {
  for (const name of ['maxAgeMs', 'maxMessages', 'maxBytes', 'maxKeys']) {
    expect(() => new DataKeys(service, { [name]: limit })).toThrow(RangeError);
  }
});
