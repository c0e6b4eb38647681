import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import {
  createIndexKey,
  encryptedFields,
  type FieldsOptions,
  type RowOptions,
  recordInfo,
  rewrapIndexKey,
} from '../../src/fields/index.ts';
import { DataKeys, EncryptionService } from '../../src/index.ts';
import { type FakeService, fakeService } from '../../src/testing/index.ts';

const FIELDS = { diagnosis: 'text', notes: 'json', scan: 'bytes', email: { type: 'text', index: true } } as const;
const ROW = {
  id: 7,
  name: 'Ada',
  diagnosis: 'flu',
  notes: { days: [1, 2] },
  scan: Uint8Array.of(1, 2),
  email: 'ada@example.org',
};

let fake: FakeService;
let service: EncryptionService;
let indexKey: string;
let earlierCalls: number;
beforeEach(async () => {
  fake = fakeService();
  service = new EncryptionService(fake);
  indexKey = await createIndexKey(service, fake.keyId);
  forgetCalls();
});
const forgetCalls = () => {
  earlierCalls = fake.calls.length;
};
const calls = () => fake.calls.slice(earlierCalls).map(({ operation }) => operation);
const options = () => ({ keyId: fake.keyId, table: 'patients', fields: FIELDS, indexKey });
const patients = (more: Partial<FieldsOptions> = {}, of: EncryptionService | DataKeys = service) =>
  encryptedFields(of, { ...options(), ...more });
/** Rotates the key, which keeps three versions. */
const rotate = async (times: number) => {
  for (let time = 0; time < times; time++) await service.rotateKey(fake.keyId);
};
/** A table whose rows contain, in their column `a`, a text that is encrypted with a `wrapped` key. */
const underWrappedKey = async () => {
  const { id: keyId } = await service.createKey({ name: 'wrapped', tier: 'wrapped' });
  return { keyId, fields: encryptedFields(service, { keyId, table: 't', fields: { a: 'text' } }) };
};

describe('encryption and decryption of rows', () => {
  test('declared fields are encrypted, an index is added, other columns are untouched, and types follow; decryption reverses it', async () => {
    const table = encryptedFields(service, options());
    const encrypted = await table.encryptRow(ROW);
    expectTypeOf(encrypted.email_index).toEqualTypeOf<string>();
    expectTypeOf(encrypted.diagnosis).toEqualTypeOf<string>();
    expect(encrypted).toMatchObject({ id: 7, name: 'Ada', email_index: expect.stringMatching(/^[0-9a-f]{64}$/) });
    for (const name of ['diagnosis', 'notes', 'scan', 'email'] as const)
      expect(encrypted[name]).toMatch(/^esk1\.[\w-]+$/);
    const decrypted = await table.decryptRow(encrypted);
    expectTypeOf(decrypted.diagnosis).toEqualTypeOf<string>();
    expect(decrypted).toEqual(ROW);
  });

  test('null stays null with a null index, an absent or undefined field stays absent, and the given row is not changed', async () => {
    const row = { id: 'a', diagnosis: null, email: null, notes: undefined };
    const encrypted = await patients().encryptRow(row);
    expect(encrypted).toStrictEqual({ id: 'a', diagnosis: null, email: null, email_index: null });
    expect(await patients().decryptRow(encrypted)).toStrictEqual({ id: 'a', diagnosis: null, email: null });
    expect(row).toStrictEqual({ id: 'a', diagnosis: null, email: null, notes: undefined });
    expect(calls()).toEqual([]);
  });

  test('fields, indexes and ids can have the names of members that every object has', async () => {
    const fields = { constructor: { type: 'text', index: 'valueOf' } } as const;
    const drivers = encryptedFields(service, { ...options(), fields, id: 'toString' });
    const absent = { toString: 7, name: 'Jackie' };
    for (const copy of [await drivers.encryptRow(absent), await drivers.decryptRow(absent)])
      expect(Object.entries(copy)).toEqual(Object.entries(absent));
    const row = { toString: 7, constructor: 'Tyrrell' };
    const encrypted = await drivers.encryptRow(row);
    expect(Object.keys(encrypted)).toEqual(['toString', 'constructor', 'valueOf']);
    expect(Object.entries(await drivers.decryptRow(encrypted))).toEqual(Object.entries(row));
    const { toString: id, ...withoutId } = encrypted;
    expect(Object.entries(await drivers.decryptRow(withoutId, { id }))).toEqual([['constructor', 'Tyrrell']]);
  });

  test('with the encoding bytes, values are stored as bytes', async () => {
    const binary = encryptedFields(service, { ...options(), encoding: 'bytes' });
    const encrypted = await binary.encryptRow(ROW);
    expectTypeOf(encrypted.diagnosis).toEqualTypeOf<Uint8Array>();
    expect(encrypted.diagnosis).toBeInstanceOf(Uint8Array);
    expect(await binary.decryptRow({ ...encrypted, diagnosis: Buffer.from(encrypted.diagnosis) })).toEqual(ROW);
  });

  test('encrypted rows contain no plaintext, no data key and no two equal values', async () => {
    const dataKeys: Buffer[] = [];
    const noting: typeof fake.fetch = async (address, request) => {
      const response = await fake.fetch(address, request);
      const { dek } = Object(await response.clone().json());
      if (dek !== undefined) dataKeys.push(Buffer.from(dek, 'base64'));
      return response;
    };
    const rows = Array.from({ length: 50 }, (_, n) => ({ id: String(n), diagnosis: 'measles', email: `${n}@x.org` }));
    const encrypted = await patients({}, new EncryptionService({ ...fake, fetch: noting })).encryptRows(rows);
    const values = encrypted.flatMap(({ diagnosis, email, email_index }) =>
      [diagnosis, email, email_index].map(String),
    );
    expect(new Set(values).size).toBe(150);
    const stored = values.flatMap((value) =>
      (['utf8', 'hex', 'base64url'] as const).map((as) => Buffer.from(value.replace('esk1.', ''), as)),
    );
    expect(dataKeys).toHaveLength(2);
    for (const secret of ['measles', '49@x.org', ...dataKeys])
      expect(stored.some((bytes) => bytes.includes(secret))).toBe(false);
  });

  test('a hundred concurrent calls cost one wrap, and each distinct data key is unwrapped once a call, also with a small cache', async () => {
    const here = patients();
    await Promise.all(Array.from({ length: 100 }, (_, id) => here.encryptRow({ id, diagnosis: 'x' })));
    expect(calls()).toEqual(['wrap']);
    const stored: object[] = [];
    for (let id = 0; id < 20; id++) stored.push(await patients().encryptRow({ id, diagnosis: 'x', notes: [id] }));
    forgetCalls();
    await patients({}, new DataKeys(service, { maxKeys: 1 })).decryptRows([...stored, ...stored]);
    expect(calls()).toEqual(Array(20).fill('unwrap'));
  });

  test('a record’s context names its table, and its record id the field and the id, each with its length in two bytes', async () => {
    const opened = async (value: unknown, recordId: string) => {
      const record = Buffer.from(String(value).replace('esk1.', ''), 'base64url');
      const place = { context: Buffer.from('esk-fields-1\0patients'), recordId: Buffer.from(recordId) };
      return Buffer.from(await new DataKeys(service).decrypt(record, place)).toString();
    };
    const { diagnosis } = await patients().encryptRow(ROW);
    expect(await opened(diagnosis, '\0\x09diagnosis7')).toBe('flu');
    const bound = encryptedFields(service, { ...options(), id: ['clinic', 'number'] });
    const { notes } = await bound.encryptRow({ ...ROW, clinic: 'a', number: 1 });
    expect(await opened(notes, '\0\x05notes\0\x01a\0\x011')).toBe('{"days":[1,2]}');
  });

  test('a thousand rows of many fields cost one wrap, and one unwrap elsewhere', async () => {
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ ...ROW, id }));
    const fields = { diagnosis: 'text', notes: 'json', scan: 'bytes' } as const;
    const write = { keyId: fake.keyId, table: 'patients', fields };
    const encrypted = await encryptedFields(service, write).encryptRows(rows);
    expect(await encryptedFields(service, write).decryptRows(encrypted)).toEqual(rows);
    expect(calls()).toEqual(['wrap', 'unwrap']);
  });

  test('at most eight calls are sent at a time', async () => {
    const rows: object[] = [];
    for (let id = 0; id < 20; id++) rows.push(await patients().encryptRow({ id, diagnosis: 'x' }));
    let [open, most] = [0, 0];
    const counting: typeof fake.fetch = async (address, request) => {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      const response = await fake.fetch(address, request);
      open -= 1;
      return response;
    };
    const counted = new EncryptionService({ ...fake, fetch: counting });
    for (const name of ['decryptRows', 'rewrapRows'] as const) {
      most = 0;
      await patients({}, counted)[name](rows);
      expect(most).toBe(8);
    }
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
    const encrypted = await patients().encryptRow(ROW);
    forgetCalls();
    const late = { signal: AbortSignal.abort('late') };
    for (const call of [patients().encryptRow(ROW, late), patients().decryptRow(encrypted, late)])
      await expect(call).rejects.toMatchObject({ name: 'EncryptionServiceError', code: 'aborted', cause: 'late' });
    expect(calls()).toEqual([]);
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
    const both = patients({ id: ['clinic', 'number'] });
    const encrypted = await both.encryptRow({ clinic: 'a', number: 1, diagnosis: 'flu' });
    expect(await both.decryptRow(encrypted)).toMatchObject({ diagnosis: 'flu' });
    const swapped = patients({ id: ['number', 'clinic'] }).decryptRow(encrypted);
    await expect(swapped).rejects.toMatchObject({ code: 'invalid_record' });
    const patch = await both.encryptRow({ diagnosis: 'flu' }, { id: { clinic: 'a', number: 1 } });
    expect(await both.decryptRow({ ...patch, clinic: 'a', number: 1n })).toMatchObject({ diagnosis: 'flu' });
    const free = patients({ id: null });
    expect(await free.decryptRow(await free.encryptRow({ diagnosis: 'flu' }))).toEqual({ diagnosis: 'flu' });
    expect(await patients({ id: ['id'] }).decryptRow(await patients().encryptRow(ROW))).toEqual(ROW);
  });
});

describe('what is wrong is a TypeError before anything is sent, which names the place and no value', () => {
  const long = 'x'.repeat(65_536);
  const TWO_IDS = { id: ['clinic', 'number'] };
  const normalize = Object(async () => 'late');
  const LATE = { fields: { email: { type: 'text', index: true, normalize } } } as const;
  const encrypt =
    (row: object, more: Partial<FieldsOptions> = {}, given: RowOptions = {}) =>
    () =>
      patients(more).encryptRow(row, given);
  const noArray = 'rows of the table patients must be an array';
  const withoutId = 'patients.id must be';
  const first = (column: string) => `patients.${column} of the row 1 `;
  test.each<[string, () => Promise<unknown>]>([
    [first('id'), encrypt({ id: 1, diagnosis: 'secret' }, {}, { id: 2 })],
    ['patients.id of the row 1.5 ', encrypt({ id: 1.5, diagnosis: 'secret' })],
    [withoutId, encrypt({ diagnosis: 'secret' })],
    [withoutId, encrypt({ diagnosis: null })],
    [withoutId, encrypt({ name: 'secret' })],
    [first('diagnosis'), encrypt({ id: 1, diagnosis: 7 })],
    [first('diagnosis'), encrypt({ id: 1, diagnosis: 'secret\ud800' })],
    [first('scan'), encrypt({ id: 1, scan: 'secret' })],
    ...[
      { at: new Date(0) },
      { a: undefined },
      [Number.NaN],
      [-0],
      new (class {
        cents = 1;
      })(),
      1n,
      { f: () => 1 },
      { [Symbol('s')]: 1 },
    ].map((notes): [string, () => Promise<unknown>] => [first('notes'), encrypt({ id: 1, notes })]),
    [first('email_index'), encrypt({ id: 1, email: 'secret', email_index: 'x' })],
    [`${first('email')}could not be normalized`, encrypt({ id: 1, email: 'secret' }, LATE)],
    ['patients.number of the row {"clinic":"a"} ', encrypt({ clinic: 'a', scan: null }, TWO_IDS)],
    [
      'the option id of the table patients must be an object with clinic, number',
      encrypt({ clinic: 'a', number: 1 }, TWO_IDS, { id: 1 }),
    ],
    [
      'unknown column: nr, in the option id of the table patients',
      encrypt({ diagnosis: 'secret' }, {}, { id: { nr: 1 } }),
    ],
    ['an id of the table patients is longer', encrypt({ clinic: 1, number: long }, TWO_IDS)],
    ['patients.email must be well-formed text', () => patients().index('email', Object(7))],
    ['patients.diagnosis has no index', () => patients().index('diagnosis', 'secret')],
    ['a row of the table patients must be an object', encrypt(['secret'])],
    [noArray, () => patients().encryptRows(Object(7))],
    [noArray, () => patients().decryptRows(Object({ id: 1 }))],
    [noArray, () => patients().rewrapRows(Object({ id: 1 }))],
    ['unknown option: idd, of the table patients', encrypt(ROW, {}, Object({ idd: 1 }))],
    ['unknown option: id, of the table patients', () => patients().encryptRows([ROW], Object({ id: 1 }))],
    ['options of the table patients must be an object', encrypt(ROW, {}, Object([]))],
  ])('the message begins with %s', async (beginning, call) => {
    const failure = await call().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure).slice(0, `TypeError: ${beginning}`.length)).toBe(`TypeError: ${beginning}`);
    expect(String(failure)).not.toContain('secret');
    expect(calls()).toEqual([]);
  });

  test('a value that is a record of the key already', async () => {
    const { email_index: _, ...row } = await patients().encryptRow(ROW);
    forgetCalls();
    await expect(patients().encryptRow(row)).rejects.toThrow('is encrypted already');
    expect(calls()).toEqual([]);
  });

  const field = (more: object) => ({ fields: { a: { type: 'text', index: true, ...more }, b: 'text' } });
  test.each<[string, object]>([
    ['an unknown option', { colour: 'red' }],
    ['a key id that is no UUID', { keyId: 'orders' }],
    ['a table without a name', { table: '' }],
    ['a name with NUL', { table: 'a\0b' }],
    ['no field', { fields: {} }],
    ['an unknown type', { fields: { a: 'number' } }],
    ['an unknown option of a field', field({ indx: true })],
    ['an index on a field that is no text', field({ type: 'json' })],
    ['bits that are no multiple of 8', field({ bits: 20 })],
    ['bits below 16', field({ bits: 8 })],
    ['normalize that is no function', field({ normalize: 'lower' })],
    ['an index without an index key', { indexKey: undefined }],
    ['a malformed index key', { indexKey: 'esk-index1.AA' }],
    ['an id that is a field', { id: 'diagnosis' }],
    ['an index column that is a field', field({ index: 'b' })],
    [
      'two fields with one index column',
      { fields: { email: FIELDS.email, b: { type: 'text', index: 'email_index' } } },
    ],
    ['two fields with one bound name', field({ as: 'b' })],
    ['an unknown encoding', { encoding: 'hex' }],
    ['another value of plaintext', { plaintext: true }],
    ['an empty list of id columns', { id: [] }],
    ['a bound name that is too long', field({ as: long })],
  ])('%s throws at once, and the message names the table', (_, more) => {
    const { table = 'patients' } = more as { table?: string };
    expect(() => patients(more)).toThrow(TypeError);
    expect(() => patients(more)).toThrow(table === 'patients' ? 'patients' : 'table');
  });
});

describe('what was moved, altered or never encrypted', () => {
  const place = (column: string, rowId: unknown = 7) => ({ table: 'patients', column, rowId });

  test('a value that was moved to another row or column cannot be decrypted', async () => {
    const encrypted = await patients().encryptRow(ROW);
    const failure = { name: 'FormatError', code: 'invalid_record' };
    const below = patients().decryptRow({ ...encrypted, id: 8 });
    await expect(below).rejects.toMatchObject({ ...failure, ...place('diagnosis', 8) });
    const beside = patients().decryptRow({ id: 7, diagnosis: encrypted.email });
    await expect(beside).rejects.toMatchObject({ ...failure, ...place('diagnosis') });
    const elsewhere = patients({ table: 'visits' }).decryptRow({ id: 7, diagnosis: encrypted.diagnosis });
    const code = 'invalid_ciphertext';
    await expect(elsewhere).rejects.toMatchObject({ ...place('diagnosis'), table: 'visits', code });
  });

  test('an altered value, plaintext and a damaged record are a FormatError with the place and no value', async () => {
    const { diagnosis } = await encryptedFields(service, options()).encryptRow(ROW);
    const altered = `${diagnosis.slice(0, -3)}${diagnosis.at(-3) === 'A' ? 'E' : 'A'}${diagnosis.slice(-2)}`;
    for (const stored of [altered, 'plain secret', 'esk1.secret', 7]) {
      const reading = patients().decryptRow({ id: 7, diagnosis: stored });
      const failure = await reading.catch((error: unknown) => error);
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
    const { id: keyId } = await service.createKey({ name: 'other', tier: 'software' });
    const mine = await patients().encryptRow(ROW);
    const foreign = await patients({ keyId }).encryptRow(ROW);
    forgetCalls();
    for (const call of [patients().decryptRows([mine, foreign]), patients().rewrapRows([mine, foreign])])
      await expect(call).rejects.toMatchObject({ name: 'FormatError' });
    expect(calls()).toEqual([]);
  });

  test('an index that is not that of the value beside it is a FormatError that names the index', async () => {
    const [one, two] = await patients().encryptRows([ROW, { ...ROW, id: 8, email: 'bob@example.org' }]);
    const failure = { name: 'FormatError', ...place('email_index') };
    for (const email_index of [two?.email_index, null, 'x'])
      await expect(patients().decryptRow({ ...one, id: 7, email_index })).rejects.toMatchObject(failure);
    const withoutValue = { id: 7, email: null, email_index: 'x' };
    await expect(patients().decryptRow(withoutValue)).rejects.toMatchObject(failure);
    const { email_index: _, ...without } = { ...one, id: 7 };
    expect(await patients().decryptRow(without)).toEqual(ROW);
  });
});

describe('indexes', () => {
  test('an index is the HMAC-SHA-256 of the value under a key that HKDF-SHA-256 derives from the index key, and that of null is null', async () => {
    const index = await patients().index('email', 'ada@example.org');
    const { dek } = await service.unwrap(fake.keyId, {
      wrapped: Buffer.from(indexKey.slice('esk-index1.'.length), 'base64url').subarray(16),
      aad: Buffer.from('encryption-service index key v1'),
    });
    const key = Buffer.from(hkdfSync('sha256', dek, '', 'esk-index-1\0patients\0email', 32));
    expect(index).toBe(createHmac('sha256', key).update('ada@example.org').digest('hex'));
    expect((await patients().encryptRow(ROW)).email_index).toBe(index);
    expect(await patients().index('email', null)).toBeNull();
  });

  test('bits keeps the beginning of the index, normalize changes what is indexed, and as keeps a renamed field’s values', async () => {
    const normalize = (text: string) => text.toLowerCase();
    const email = { type: 'text', index: 'mail_key', bits: 32, normalize } as const;
    const short = encryptedFields(service, { ...options(), fields: { email } });
    const whole = await patients().index('email', 'ada@example.org');
    expect(await short.index('email', 'ADA@example.org')).toBe(whole?.slice(0, 8));
    const encrypted = await short.encryptRow({ id: 1, email: 'ADA@example.org' });
    expect(encrypted.mail_key).toBe(whole?.slice(0, 8));
    const renamed = patients({ fields: { mail: { ...email, as: 'email' } } });
    const stored = { id: 1, mail: encrypted.email, mail_key: encrypted.mail_key };
    expect(await renamed.decryptRow(stored)).toEqual({ id: 1, mail: 'ADA@example.org' });
  });

  test('an index costs one more unwrap, which is kept and forgotten as data keys are', async () => {
    const here = patients();
    await here.index('email', 'a');
    await here.encryptRows([ROW, { ...ROW, id: 8 }]);
    expect(calls()).toEqual(['unwrap', 'wrap']);
    here.forget();
    await here.index('email', 'a');
    expect(calls()).toEqual(['unwrap', 'wrap', 'unwrap']);
  });

  test('an index key is unwrapped again after the maximum age, whichever field it was used for', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const fields = { email: FIELDS.email, phone: FIELDS.email };
    const here = encryptedFields(new DataKeys(service, { maxAgeMs: 1_000 }), { ...options(), fields });
    await here.index('email', 'a');
    vi.advanceTimersByTime(999);
    await here.index('phone', 'a');
    vi.advanceTimersByTime(1);
    await here.index('phone', 'a');
    expect(calls()).toEqual(['unwrap', 'unwrap']);
  });

  test('an index key needs a software or hsm key, and its values stay after it was rewrapped', async () => {
    const { keyId } = await underWrappedKey();
    await expect(createIndexKey(service, keyId)).rejects.toThrow('software or hsm');
    const before = await patients().index('email', 'a');
    await rotate(1);
    const rewrapped = await rewrapIndexKey(service, indexKey);
    await rotate(2);
    await expect(patients().index('email', 'a')).rejects.toMatchObject({ code: 'invalid_ciphertext' });
    expect(await patients({ indexKey: rewrapped }).index('email', 'a')).toBe(before);
  });
});

describe('rotation', () => {
  test('rewrapRows rewraps each distinct data key once and opens nothing; plaintext and indexes stay', async () => {
    const rows = await patients().encryptRows([ROW, { ...ROW, id: 8 }]);
    const [third] = await patients().encryptRows([{ ...ROW, id: 9 }]);
    await rotate(1);
    forgetCalls();
    const plain = { id: 10, diagnosis: 'plain', notes: [1, 2], scan: Uint8Array.of(1), email_index: 'kept' };
    const given = [...rows, third ?? {}, plain];
    const rewrapped = await patients().rewrapRows(given);
    expect(calls()).toEqual(['rewrap', 'rewrap']);
    expect(rewrapped[3]).toEqual(plain);
    indexKey = await rewrapIndexKey(service, indexKey);
    await rotate(2);
    expect(await patients().decryptRows(rewrapped.slice(0, 3))).toEqual([ROW, { ...ROW, id: 8 }, { ...ROW, id: 9 }]);
  });

  test.each(['esk1.damaged', new ArrayBuffer(2), [1, 2], 7])(
    'rewrapRows refuses %o, which is neither a record nor plaintext, before anything is sent',
    async (diagnosis) => {
      const encrypted = await patients().encryptRow(ROW);
      forgetCalls();
      const failure = { name: 'FormatError', table: 'patients', column: 'diagnosis', rowId: 8 };
      await expect(patients().rewrapRows([encrypted, { id: 8, diagnosis }])).rejects.toMatchObject(failure);
      expect(calls()).toEqual([]);
    },
  );

  test('rewrapRows refuses rows of a free or wrapped key, and says what to do', async () => {
    const { fields } = await underWrappedKey();
    const row = await fields.encryptRow({ id: 1, a: 'x' });
    forgetCalls();
    await expect(fields.rewrapRows([row])).rejects.toThrow(/decrypting all rows before it/);
    expect(calls()).toEqual([]);
  });

  test('recordInfo says the key of a value, and its version where the record shows it', async () => {
    const { keyId, fields } = await underWrappedKey();
    for (let version = 1; version < 300; version++) await service.rotateKey(keyId);
    expect(recordInfo((await fields.encryptRow({ id: 1, a: 'x' })).a)).toEqual({ keyId, version: 300 });
    const { diagnosis } = await encryptedFields(service, options()).encryptRow(ROW);
    for (const value of [diagnosis, Buffer.from(diagnosis.slice(5), 'base64url')])
      expect(recordInfo(value)).toEqual({ keyId: fake.keyId, version: null });
    expect(() => recordInfo('plain')).toThrow('not a record');
  });
});
