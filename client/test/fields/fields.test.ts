import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { PGlite } from '@electric-sql/pglite';
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { EncryptionServiceError } from '../../src/errors.ts';
import {
  createIndexKey,
  encryptedFields,
  type FieldsOptions,
  recordInfo,
  rewrapIndexKey,
} from '../../src/fields/index.ts';
import type { KeyService } from '../../src/files/key-service.ts';
import { DataKeys, EncryptionService } from '../../src/index.ts';
import { fakeService } from '../../src/testing/index.ts';

const KEY_ID = '0f8c9a52-5a0e-4a51-9d5e-0c1f6f2f7a10';
const OTHER_KEY_ID = '7d1f4b02-3c8e-4b5a-8f60-2a9b1c3d4e5f';

/** A service of a key of 81 or 68 wrapped bytes that keeps data keys in memory and notes its calls. */
class CountingService implements KeyService {
  readonly calls: string[] = [];
  readonly #keys = new Map<string, { readonly dek: Uint8Array; readonly bound: string }>();
  readonly #tier: 'software' | 'wrapped';
  version = 1;

  constructor(tier: 'software' | 'wrapped' = 'software') {
    this.#tier = tier;
  }

  async getKey(): Promise<{ readonly tier: string }> {
    return { tier: this.#tier };
  }

  async wrap(keyId: string, { dek = randomBytes(32), aad }: { readonly dek?: Uint8Array; readonly aad?: Uint8Array }) {
    this.calls.push('wrap');
    return { wrapped: this.#keep(keyId, dek, aad), dek: new Uint8Array(dek) };
  }

  async unwrap(keyId: string, { wrapped, aad }: { readonly wrapped: Uint8Array; readonly aad?: Uint8Array }) {
    this.calls.push('unwrap');
    return { dek: this.#open(keyId, wrapped, aad) };
  }

  async rewrap(keyId: string, { ciphertext, aad }: { readonly ciphertext: Uint8Array; readonly aad?: Uint8Array }) {
    this.calls.push('rewrap');
    return { ciphertext: this.#keep(keyId, this.#open(keyId, ciphertext, aad), aad) };
  }

  #keep(keyId: string, dek: Uint8Array, aad?: Uint8Array): Uint8Array {
    const wrapped = randomBytes(this.#tier === 'wrapped' ? 68 : 81);
    wrapped.writeUInt32BE(this.version);
    wrapped.writeUInt8(1);
    this.#keys.set(wrapped.toString('hex'), { dek: new Uint8Array(dek), bound: boundTo(keyId, aad) });
    return new Uint8Array(wrapped);
  }

  #open(keyId: string, wrapped: Uint8Array, aad?: Uint8Array): Uint8Array {
    const found = this.#keys.get(Buffer.from(wrapped).toString('hex'));
    if (found?.bound === boundTo(keyId, aad)) return new Uint8Array(found.dek);
    throw new EncryptionServiceError('invalid_ciphertext', 'the ciphertext cannot be decrypted', { status: 400 });
  }
}

const boundTo = (keyId: string, aad: Uint8Array = new Uint8Array()): string =>
  `${keyId} ${Buffer.from(aad).toString('hex')}`;

const FIELDS = { diagnosis: 'text', notes: 'json', scan: 'bytes', email: { type: 'text', index: true } } as const;
const OPTIONS = { keyId: KEY_ID, table: 'patients', fields: FIELDS };
const ROW = {
  id: 7,
  name: 'Ada',
  diagnosis: 'flu',
  notes: { days: [1, 2] },
  scan: Uint8Array.of(1, 2),
  email: 'ada@example.org',
};

let service: CountingService;
let indexKey: string;
beforeEach(async () => {
  service = new CountingService();
  indexKey = await createIndexKey(service, KEY_ID);
  service.calls.length = 0;
});

const patients = (more: Partial<FieldsOptions> = {}, of: CountingService | DataKeys = service) =>
  encryptedFields(of, { ...OPTIONS, indexKey, ...more });

describe('encryption and decryption of rows', () => {
  test('declared fields are encrypted, an index is added, and other columns are untouched; decryption reverses it', async () => {
    const encrypted = await patients().encryptRow(ROW);
    expect(encrypted).toMatchObject({ id: 7, name: 'Ada', email_index: expect.stringMatching(/^[0-9a-f]{64}$/) });
    for (const name of ['diagnosis', 'notes', 'scan', 'email'] as const) {
      expect(encrypted[name]).toMatch(/^esk1\.[\w-]+$/);
    }
    expect(await patients().decryptRow(encrypted)).toEqual(ROW);
  });

  test('null stays null with a null index, an absent or undefined field stays absent, and the given row is not changed', async () => {
    const row = { id: 'a', diagnosis: null, email: null, notes: undefined };
    const encrypted = await patients().encryptRow(row);
    expect(encrypted).toStrictEqual({ id: 'a', diagnosis: null, email: null, email_index: null });
    expect(await patients().decryptRow(encrypted)).toStrictEqual({ id: 'a', diagnosis: null, email: null });
    expect(row).toStrictEqual({ id: 'a', diagnosis: null, email: null, notes: undefined });
    expect(service.calls).toEqual([]);
  });

  test('with the encoding bytes, values are stored as bytes', async () => {
    const binary = encryptedFields(service, { ...OPTIONS, indexKey, encoding: 'bytes' });
    const encrypted = await binary.encryptRow(ROW);
    expectTypeOf(encrypted.diagnosis).toEqualTypeOf<Uint8Array>();
    expect(encrypted.diagnosis).toBeInstanceOf(Uint8Array);
    const stored = { ...encrypted, diagnosis: Buffer.from(encrypted.diagnosis) };
    expect(await binary.decryptRow(stored)).toEqual(ROW);
  });

  test('the types of rows follow the declaration', async () => {
    const typed = encryptedFields(service, { ...OPTIONS, indexKey });
    const encrypted = await typed.encryptRow({ id: 1, diagnosis: 'flu', email: 'a' });
    expectTypeOf(encrypted.email_index).toEqualTypeOf<string>();
    expectTypeOf(encrypted.diagnosis).toEqualTypeOf<string>();
    const decrypted = await typed.decryptRow(encrypted);
    expectTypeOf(decrypted.diagnosis).toEqualTypeOf<string>();
    expect(decrypted).not.toHaveProperty('email_index');
  });

  test('a hundred concurrent calls cost one wrap, and each distinct data key is unwrapped once a call, also with a small cache', async () => {
    const here = patients();
    await Promise.all(Array.from({ length: 100 }, (_, id) => here.encryptRow({ id, diagnosis: 'x' })));
    expect(service.calls).toEqual(['wrap']);
    const stored: object[] = [];
    for (let id = 0; id < 20; id++) stored.push(await patients().encryptRow({ id, diagnosis: 'x', notes: [id] }));
    service.calls.length = 0;
    await patients({}, new DataKeys(service, { maxKeys: 1 })).decryptRows([...stored, ...stored]);
    expect(service.calls).toEqual(Array(20).fill('unwrap'));
  });

  test('arguments are read before the call returns', async () => {
    const scan = Uint8Array.of(1, 2, 3);
    const row = { id: 1, scan };
    const encrypting = patients().encryptRow(row);
    scan.fill(0);
    Object.assign(row, { id: 2 });
    expect(await patients().decryptRow(await encrypting)).toEqual({ id: 1, scan: Uint8Array.of(1, 2, 3) });
  });

  test('bytes of another realm and Buffers are accepted', async () => {
    const scan = runInNewContext('new Uint8Array([9])');
    const encrypted = await patients().encryptRows([
      { id: 1, scan },
      { id: 2, scan: Buffer.from([8]) },
    ]);
    const read = await patients().decryptRows(encrypted);
    expect(read.map((row) => [...row.scan])).toEqual([[9], [8]]);
  });

  test('an aborted signal ends the call with aborted', async () => {
    const failure = { name: 'EncryptionServiceError', code: 'aborted', cause: 'late' };
    await expect(patients().encryptRow(ROW, { signal: AbortSignal.abort('late') })).rejects.toMatchObject(failure);
    const encrypted = await patients().encryptRow(ROW);
    await expect(patients().decryptRow(encrypted, { signal: AbortSignal.abort('late') })).rejects.toMatchObject(
      failure,
    );
  });
});

describe('ids', () => {
  const UUID = randomUUID();

  test.each([
    [1, '1'],
    [10n ** 20n, '100000000000000000000'],
    [UUID.toUpperCase(), UUID],
  ])('the id %s is bound as %s', async (one, other) => {
    const encrypted = await patients().encryptRow({ id: one, diagnosis: 'flu' });
    expect(await patients().decryptRow({ ...encrypted, id: other })).toEqual({ id: other, diagnosis: 'flu' });
  });

  test('the patch of an update takes its id from the options, and another id than the row’s own is refused', async () => {
    const encrypted = await patients().encryptRow({ diagnosis: 'flu' }, { id: 7 });
    expect(encrypted).not.toHaveProperty('id');
    expect(await patients().decryptRow({ ...encrypted, id: 7 })).toEqual({ id: 7, diagnosis: 'flu' });
    expect(await patients().decryptRow(encrypted, { id: '7' })).toEqual({ diagnosis: 'flu' });
    await expect(patients().encryptRow({ id: 1, diagnosis: 'flu' }, { id: 2 })).rejects.toThrow(TypeError);
  });

  test('values can be bound to several columns, in the order of the option, or to none', async () => {
    const both = (id: readonly string[]) => patients({ id });
    const encrypted = await both(['clinic', 'number']).encryptRow({ clinic: 'a', number: 1, diagnosis: 'flu' });
    expect(await both(['clinic', 'number']).decryptRow(encrypted)).toMatchObject({ diagnosis: 'flu' });
    await expect(both(['number', 'clinic']).decryptRow(encrypted)).rejects.toMatchObject({ code: 'invalid_record' });
    const patch = await both(['clinic', 'number']).encryptRow({ diagnosis: 'flu' }, { id: { clinic: 'a', number: 1 } });
    expect(await both(['clinic', 'number']).decryptRow({ ...patch, clinic: 'a', number: 1n })).toMatchObject({
      diagnosis: 'flu',
    });
    const free = patients({ id: null });
    expect(await free.decryptRow(await free.encryptRow({ diagnosis: 'flu' }))).toEqual({ diagnosis: 'flu' });
    expect(await patients({ id: ['id'] }).decryptRow(await patients().encryptRow(ROW))).toEqual(ROW);
  });
});

describe('what is wrong is a TypeError before anything is sent, which names the place and no value', () => {
  class Money {
    cents = 1;
  }
  const long = 'x'.repeat(65_536);
  const encrypt = (row: object) => () => patients().encryptRow(row);
  test.each<[string, () => Promise<unknown>]>([
    ['patients.id of the row 1 ', () => patients().encryptRow({ id: 1, diagnosis: 'secret' }, { id: 2 })],
    ['patients.id of the row 1.5 ', encrypt({ id: 1.5, diagnosis: 'secret' })],
    ['patients.id must be', encrypt({ diagnosis: 'secret' })],
    ['patients.id must be', encrypt({ diagnosis: null })],
    ['patients.id must be', encrypt({ name: 'secret' })],
    ['patients.diagnosis of the row 1 ', encrypt({ id: 1, diagnosis: 7 })],
    ['patients.diagnosis of the row 1 ', encrypt({ id: 1, diagnosis: 'secret\ud800' })],
    ['patients.scan of the row 1 ', encrypt({ id: 1, scan: 'secret' })],
    ...[
      { at: new Date(0) },
      { a: undefined },
      [Number.NaN],
      [-0],
      new Money(),
      1n,
      { f: () => 1 },
      { [Symbol('s')]: 1 },
    ].map((notes): [string, () => Promise<unknown>] => ['patients.notes of the row 1 ', encrypt({ id: 1, notes })]),
    ['patients.email_index of the row 1 ', encrypt({ id: 1, email: 'secret', email_index: 'x' })],
    [
      'patients.number of the row {"clinic":"a"} ',
      () => patients({ id: ['clinic', 'number'] }).encryptRow({ clinic: 'a', diagnosis: 'secret' }),
    ],
    [
      'the option id of the table patients must be an object with clinic, number',
      () => patients({ id: ['clinic', 'number'] }).encryptRow({ clinic: 'a', number: 1 }, { id: 1 }),
    ],
    [
      'unknown column: nr, in the option id of the table patients',
      () => patients().encryptRow({ diagnosis: 'secret' }, { id: { nr: 1 } }),
    ],
    ['an id of the table patients is longer', () => patients({ id: ['a', 'b'] }).encryptRow({ a: 1, b: long })],
    ['patients.email must be well-formed text', () => patients().index('email', Object(7))],
    ['patients.diagnosis has no index', () => patients().index('diagnosis', 'secret')],
    ['a row of the table patients must be an object', () => patients().encryptRow(['secret'])],
    ['rows of the table patients must be an array', () => patients().encryptRows(Object(7))],
    ['rows of the table patients must be an array', () => patients().decryptRows(Object({ id: 1 }))],
    ['rows of the table patients must be an array', () => patients().rewrapRows(Object({ id: 1 }))],
    ['unknown option: idd, of the table patients', () => patients().encryptRow(ROW, Object({ idd: 1 }))],
    ['options of the table patients must be an object', () => patients().encryptRow(ROW, Object([]))],
  ])('the message begins with %s', async (beginning, call) => {
    const failure = await call().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure).slice(0, `TypeError: ${beginning}`.length)).toBe(`TypeError: ${beginning}`);
    expect(String(failure)).not.toContain('secret');
    expect(service.calls).toEqual([]);
  });

  test('a value that is a record of the key already', async () => {
    const encrypted = await patients().encryptRow(ROW);
    service.calls.length = 0;
    const { email_index: _, ...row } = encrypted;
    await expect(patients().encryptRow(row)).rejects.toThrow('is encrypted already');
    expect(service.calls).toEqual([]);
  });

  test.each<[string, object]>([
    ['an unknown option', { colour: 'red' }],
    ['a key id that is no UUID', { keyId: 'orders' }],
    ['a table without a name', { table: '' }],
    ['a name with NUL', { table: 'a\0b' }],
    ['no field', { fields: {} }],
    ['an unknown type', { fields: { a: 'number' } }],
    ['an unknown option of a field', { fields: { a: { type: 'text', indx: true } } }],
    ['an index on a field that is no text', { fields: { a: { type: 'json', index: true } } }],
    ['bits that are no multiple of 8', { fields: { a: { type: 'text', index: true, bits: 20 } } }],
    ['bits below 16', { fields: { a: { type: 'text', index: true, bits: 8 } } }],
    ['normalize that is no function', { fields: { a: { type: 'text', index: true, normalize: 'lower' } } }],
    ['an index without an index key', { indexKey: undefined }],
    ['a malformed index key', { indexKey: 'esk-index1.AA' }],
    ['an id that is a field', { id: 'diagnosis' }],
    ['an index column that is a field', { fields: { a: { type: 'text', index: 'b' }, b: 'text' } }],
    [
      'two fields with one index column',
      { fields: { a: { type: 'text', index: 'c' }, b: { type: 'text', index: 'c' } } },
    ],
    ['two fields with one bound name', { fields: { a: 'text', b: { type: 'text', as: 'a' } } }],
    ['an unknown encoding', { encoding: 'hex' }],
    ['another value of plaintext', { plaintext: true }],
    ['an empty list of id columns', { id: [] }],
    ['a bound name that is too long', { fields: { a: { type: 'text', as: long } } }],
  ])('%s throws at once, and the message names the table', (_, more) => {
    const { table = 'patients' } = more as { table?: string };
    expect(() => patients(more)).toThrow(TypeError);
    expect(() => patients(more)).toThrow(table === 'patients' ? 'patients' : 'table');
    expect(service.calls).toEqual([]);
  });

  test('an unknown option of a call rejects', async () => {
    await expect(patients().encryptRow(ROW, Object({ idd: 1 }))).rejects.toThrow('unknown option: idd');
    await expect(patients().encryptRows([ROW], Object({ id: 1 }))).rejects.toThrow('unknown option: id,');
  });
});

describe('what was moved, altered or never encrypted', () => {
  const place = (column: string, rowId: unknown = 7) => ({ table: 'patients', column, rowId });

  test('a value that was moved to another row or column cannot be decrypted', async () => {
    const encrypted = await patients().encryptRow(ROW);
    const failure = { name: 'FormatError', code: 'invalid_record' };
    await expect(patients().decryptRow({ ...encrypted, id: 8 })).rejects.toMatchObject({
      ...failure,
      ...place('diagnosis', 8),
    });
    const moved = { id: 7, diagnosis: encrypted.email };
    await expect(patients().decryptRow(moved)).rejects.toMatchObject({ ...failure, ...place('diagnosis') });
    const renamed = encryptedFields(service, { ...OPTIONS, indexKey, table: 'visits' });
    await expect(renamed.decryptRow({ id: 7, diagnosis: encrypted.diagnosis })).rejects.toMatchObject({
      code: 'invalid_ciphertext',
      table: 'visits',
      column: 'diagnosis',
      rowId: 7,
    });
  });

  test('an altered value, plaintext and a damaged record are a FormatError with the place and no value', async () => {
    const { diagnosis } = await encryptedFields(service, { ...OPTIONS, indexKey }).encryptRow(ROW);
    const last = diagnosis.endsWith('A') ? 'E' : 'A';
    for (const stored of [`${diagnosis.slice(0, -3)}${last}${diagnosis.slice(-2)}`, 'plain secret', 'esk1.secret', 7]) {
      const failure = await patients()
        .decryptRow({ id: 7, diagnosis: stored })
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'FormatError', ...place('diagnosis') });
      expect(String(failure)).not.toContain('secret');
    }
  });

  test('with plaintext allowed, plaintext is read, but a damaged record is not', async () => {
    const both = patients({ plaintext: 'allow' });
    const encrypted = await both.encryptRow(ROW);
    const rows = [encrypted, { id: 8, diagnosis: 'old', email: 'old@example.org', email_index: null }];
    expect(await both.decryptRows(rows)).toEqual([ROW, { id: 8, diagnosis: 'old', email: 'old@example.org' }]);
    await expect(both.decryptRow({ id: 8, diagnosis: 'esk1.old' })).rejects.toMatchObject({ name: 'FormatError' });
  });

  test('a record of another key is a FormatError of the whole call, and nothing is sent', async () => {
    const [mine, foreign] = await Promise.all([
      patients().encryptRow(ROW),
      patients({ keyId: OTHER_KEY_ID }).encryptRow(ROW),
    ]);
    service.calls.length = 0;
    await expect(patients().decryptRows([mine, { ...foreign, id: 7 }])).rejects.toMatchObject({ name: 'FormatError' });
    await expect(patients().rewrapRows([mine, foreign])).rejects.toMatchObject({ name: 'FormatError' });
    expect(service.calls).toEqual([]);
  });

  test('an index that is not that of the value beside it is a FormatError that names the index', async () => {
    const [one, two] = await patients().encryptRows([ROW, { ...ROW, id: 8, email: 'bob@example.org' }]);
    for (const email_index of [two?.email_index, null, 'x']) {
      const swapped = { ...one, id: 7, email_index };
      await expect(patients().decryptRow(swapped)).rejects.toMatchObject({
        name: 'FormatError',
        ...place('email_index'),
      });
    }
    await expect(patients().decryptRow({ id: 7, email: null, email_index: 'x' })).rejects.toMatchObject(
      place('email_index'),
    );
    const { email_index: _, ...without } = { ...one, id: 7 };
    expect(await patients().decryptRow(without)).toEqual(ROW);
  });
});

describe('indexes', () => {
  test('an index is the HMAC-SHA-256 of the value under a key that HKDF-SHA-256 derives from the index key', async () => {
    const { index } = { index: await patients().index('email', 'ada@example.org') };
    const { dek } = await service.unwrap(KEY_ID, {
      wrapped: Buffer.from(indexKey.slice('esk-index1.'.length), 'base64url').subarray(16),
      aad: Buffer.from('encryption-service index key v1'),
    });
    const key = Buffer.from(hkdfSync('sha256', dek, '', 'esk-index-1\0patients\0email', 32));
    expect(index).toBe(createHmac('sha256', key).update('ada@example.org').digest('hex'));
    expect((await patients().encryptRow(ROW)).email_index).toBe(index);
  });

  test('bits keeps the beginning of the index, normalize changes what is indexed, and as keeps a renamed field’s values', async () => {
    const email = {
      type: 'text',
      index: 'mail_key',
      bits: 32,
      normalize: (text: string) => text.toLowerCase(),
    } as const;
    const short = encryptedFields(service, { ...OPTIONS, fields: { email }, indexKey });
    const whole = await patients().index('email', 'ada@example.org');
    expect(await short.index('email', 'ADA@example.org')).toBe(whole?.slice(0, 8));
    const encrypted = await short.encryptRow({ id: 1, email: 'ADA@example.org' });
    expect(encrypted.mail_key).toBe(whole?.slice(0, 8));
    const renamed = encryptedFields(service, { ...OPTIONS, fields: { mail: { ...email, as: 'email' } }, indexKey });
    const stored = { id: 1, mail: encrypted.email, mail_key: encrypted.mail_key };
    expect(await renamed.decryptRow(stored)).toEqual({ id: 1, mail: 'ADA@example.org' });
  });

  test('the index of null is null, and an index of another field or of no text is a TypeError', async () => {
    expect(await patients().index('email', null)).toBeNull();
    await expect(patients().index('diagnosis', 'flu')).rejects.toThrow(TypeError);
    await expect(patients().index('email', '\ud800')).rejects.toThrow(TypeError);
    const wrong = patients({
      fields: { email: { type: 'text', index: true, normalize: async (text: string) => text } } as never,
    });
    await expect(wrong.encryptRow({ id: 1, email: 'a' })).rejects.toThrow(TypeError);
    expect(service.calls).toEqual([]);
  });

  test('an index costs one more unwrap, which is kept and forgotten as data keys are', async () => {
    const here = patients();
    await here.index('email', 'a');
    await here.encryptRows([ROW, { ...ROW, id: 8 }]);
    expect(service.calls).toEqual(['unwrap', 'wrap']);
    here.forget();
    await here.index('email', 'a');
    expect(service.calls).toEqual(['unwrap', 'wrap', 'unwrap']);
  });

  test('an index key needs a software or hsm key, and its values stay after it was rewrapped', async () => {
    await expect(createIndexKey(new CountingService('wrapped'), KEY_ID)).rejects.toThrow('software or hsm');
    const before = await patients().index('email', 'a');
    const rewrapped = await rewrapIndexKey(service, indexKey);
    expect(rewrapped).not.toBe(indexKey);
    expect(await patients({ indexKey: rewrapped }).index('email', 'a')).toBe(before);
  });
});

describe('rotation', () => {
  test('rewrapRows rewraps each distinct data key once and opens nothing; plaintext and indexes stay', async () => {
    const rows = await patients().encryptRows([ROW, { ...ROW, id: 8 }]);
    const [third] = await patients().encryptRows([{ ...ROW, id: 9 }]);
    service.calls.length = 0;
    const given = [...rows, third ?? {}, { id: 10, diagnosis: 'plain', email_index: 'kept' }];
    const rewrapped = await patients().rewrapRows(given);
    expect(service.calls).toEqual(['rewrap', 'rewrap']);
    expect(rewrapped[3]).toEqual({ id: 10, diagnosis: 'plain', email_index: 'kept' });
    expect(rewrapped[0]).not.toEqual(given[0]);
    expect(await patients().decryptRows(rewrapped.slice(0, 3))).toEqual([ROW, { ...ROW, id: 8 }, { ...ROW, id: 9 }]);
  });

  test('rewrapRows refuses rows of a free or wrapped key, and says what to do', async () => {
    const free = new CountingService('wrapped');
    const fields = encryptedFields(free, { keyId: KEY_ID, table: 't', fields: { a: 'text' } });
    const row = await fields.encryptRow({ id: 1, a: 'x' });
    free.calls.length = 0;
    await expect(fields.rewrapRows([row])).rejects.toThrow(/decrypting all rows before it/);
    expect(free.calls).toEqual([]);
  });

  test('recordInfo says the key of a value, and its version where the record shows it', async () => {
    const free = new CountingService('wrapped');
    free.version = 300;
    const fields = encryptedFields(free, { keyId: KEY_ID, table: 't', fields: { a: 'text' } });
    expect(recordInfo((await fields.encryptRow({ id: 1, a: 'x' })).a)).toEqual({ keyId: KEY_ID, version: 300 });
    const { diagnosis } = await encryptedFields(service, { ...OPTIONS, indexKey }).encryptRow(ROW);
    expect(recordInfo(diagnosis)).toEqual({ keyId: KEY_ID, version: null });
    expect(recordInfo(Buffer.from(diagnosis.slice(5), 'base64url'))).toEqual({ keyId: KEY_ID, version: null });
    expect(() => recordInfo('plain')).toThrow('not a record');
  });
});

describe('a database with encrypted fields', () => {
  const FIELDS = { diagnosis: 'text', email: { type: 'text', index: true } } as const;
  const CREATE = `create table patients (id text primary key, name text, diagnosis text, email text, email_index text unique)`;

  interface Stored {
    id: string;
    name: string | null;
    diagnosis: string | null;
    email: string | null;
    email_index: string | null;
  }

  test('a dump of the database shows no plaintext, no data key and no two equal values; moved cells are refused', async () => {
    const pg = new PGlite();
    await pg.exec(CREATE);
    const { url, apiKey, fetch, keyId } = fakeService();
    const dataKeys: Buffer[] = [];
    const noting: typeof fetch = async (address, request) => {
      const response = await fetch(address, request);
      const { dek } = Object(await response.clone().json());
      if (dek !== undefined) dataKeys.push(Buffer.from(dek, 'base64'));
      return response;
    };
    const service = new EncryptionService({ url, apiKey, fetch: noting });
    const options = { keyId, table: 'patients', fields: FIELDS, indexKey: await createIndexKey(service, keyId) };
    const patients = encryptedFields(service, options);
    const rows = Array.from({ length: 50 }, (_, n) => ({
      id: String(n),
      name: null,
      diagnosis: 'measles',
      email: `${n}@x.org`,
    }));
    for (const row of await patients.encryptRows(rows)) {
      await pg.query('insert into patients values ($1, $2, $3, $4, $5)', [
        row.id,
        null,
        row.diagnosis,
        row.email,
        row.email_index,
      ]);
    }
    const dump = Buffer.from(await (await pg.dumpDataDir('none')).arrayBuffer());
    expect(dataKeys.length).toBeGreaterThan(1);
    const forms = dataKeys.flatMap((key) => [
      key,
      ...(['hex', 'base64', 'base64url'] as const).map((as) => key.toString(as)),
    ]);
    for (const secret of ['measles', '49@x.org', ...forms]) expect(dump.includes(secret)).toBe(false);
    const { rows: stored } = await pg.query<Stored>('select * from patients');
    const values = stored.flatMap(({ diagnosis, email }) => [diagnosis, email]);
    expect(new Set(values).size).toBe(100);
    const [one, two] = stored;
    for (const moved of [
      { ...one, diagnosis: two?.diagnosis },
      { ...one, email: one?.diagnosis },
      { ...one, email_index: two?.email_index },
    ]) {
      await expect(patients.decryptRow(moved)).rejects.toMatchObject({ name: 'FormatError', rowId: one?.id });
    }
    const visits = encryptedFields(service, { ...options, table: 'visits' });
    await expect(visits.decryptRow({ id: one?.id, diagnosis: one?.diagnosis })).rejects.toMatchObject({
      code: 'invalid_ciphertext',
      table: 'visits',
      rowId: one?.id,
    });
    await pg.close();
  });
});
