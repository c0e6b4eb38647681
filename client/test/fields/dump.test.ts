import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { createIndexKey, encryptedFields } from '../../src/fields/index.ts';
import { EncryptionService } from '../../src/index.ts';
import { fakeService } from '../../src/testing/index.ts';

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
