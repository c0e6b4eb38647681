import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { PGlite } from '@electric-sql/pglite';
import { eq } from 'drizzle-orm';
import { pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import knexOf from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIndexKey, type EncryptedFields, encryptedFields } from '../../src/fields/index.ts';
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

/** A database as a program uses it through one of its libraries. */
interface Database {
  insert(row: Stored): Promise<unknown>;
  all(): Promise<Stored[]>;
  withIndex(value: string): Promise<Stored[]>;
  update(id: string, patch: Partial<Stored>): Promise<unknown>;
}

/** One PostgreSQL for all libraries, because it takes seconds to start. */
let pg: PGlite;
beforeAll(async () => {
  pg = new PGlite();
  await pg.waitReady;
});
afterAll(() => pg.close());
const emptyTable = () => pg.exec(`drop table if exists patients; ${CREATE}`);

const DATABASES: Readonly<Record<string, () => Promise<Database>>> = {
  async 'plain queries on PostgreSQL'() {
    const rows = async (query: string, ...values: unknown[]) => (await pg.query<Stored>(query, values)).rows;
    return {
      insert: (row) =>
        rows(
          'insert into patients values ($1, $2, $3, $4, $5)',
          row.id,
          row.name,
          row.diagnosis,
          row.email,
          row.email_index,
        ),
      all: () => rows('select * from patients order by id'),
      withIndex: (value) => rows('select * from patients where email_index = $1', value),
      update: (id, { diagnosis }) => rows('update patients set diagnosis = $1 where id = $2', diagnosis, id),
    };
  },
  async Kysely() {
    const client = {
      query: async (query: string, values: readonly unknown[]) => {
        const { rows, affectedRows = 0 } = await pg.query<Stored>(query, [...values]);
        return { rows, rowCount: affectedRows, command: 'SELECT' as const };
      },
      release: () => undefined,
    };
    const pool = { connect: async () => client, end: async () => undefined };
    const db = new Kysely<{ patients: Stored }>({ dialect: new PostgresDialect({ pool: Object(pool) }) });
    return {
      insert: (row) => db.insertInto('patients').values(row).execute(),
      all: () => db.selectFrom('patients').selectAll().orderBy('id').execute(),
      withIndex: (value) => db.selectFrom('patients').selectAll().where('email_index', '=', value).execute(),
      update: (id, patch) => db.updateTable('patients').set(patch).where('id', '=', id).execute(),
    };
  },
  async Drizzle() {
    const patients = pgTable(
      'patients',
      { id: text().primaryKey(), name: text(), diagnosis: text(), email: text(), email_index: text() },
      (columns) => [uniqueIndex().on(columns.email_index)],
    );
    // Drizzle has types of another release of PGlite.
    const db = drizzle({ client: Object(pg) });
    return {
      insert: async (row) => db.insert(patients).values(row),
      all: async () => db.select().from(patients).orderBy(patients.id),
      withIndex: async (value) => db.select().from(patients).where(eq(patients.email_index, value)),
      update: async (id, patch) => db.update(patients).set(patch).where(eq(patients.id, id)),
    };
  },
  async 'Knex, which builds the queries'() {
    const knex = knexOf({ client: 'pg' });
    const run = async (query: { toSQL(): { toNative(): { sql: string; bindings: readonly unknown[] } } }) => {
      const { sql, bindings } = query.toSQL().toNative();
      return (await pg.query<Stored>(sql, [...bindings])).rows;
    };
    return {
      insert: (row) => run(knex('patients').insert(row)),
      all: () => run(knex('patients').orderBy('id')),
      withIndex: (value) => run(knex('patients').where('email_index', value)),
      update: (id, patch) => run(knex('patients').where('id', id).update(patch)),
    };
  },
  async 'node:sqlite'() {
    const db = new DatabaseSync(':memory:');
    db.exec(CREATE);
    const rows = (query: string, ...values: (string | null)[]): Stored[] => Object(db.prepare(query).all(...values));
    return {
      insert: async ({ id, name, diagnosis, email, email_index }) =>
        rows('insert into patients values (?, ?, ?, ?, ?)', id, name, diagnosis, email, email_index),
      all: async () => rows('select * from patients order by id'),
      withIndex: async (value) => rows('select * from patients where email_index = ?', value),
      update: async (id, { diagnosis = null }) => rows('update patients set diagnosis = ? where id = ?', diagnosis, id),
    };
  },
};

describe.each(Object.keys(DATABASES))('encrypted columns with %s', (name) => {
  let db: Database;
  let patients: EncryptedFields<typeof FIELDS, 'text'>;
  let migrating: EncryptedFields<typeof FIELDS, 'text'>;
  beforeAll(async () => {
    await emptyTable();
    const opened = await DATABASES[name]?.();
    if (opened === undefined) throw new Error('no such database');
    db = opened;
    const { url, apiKey, fetch, keyId } = fakeService();
    const service = new EncryptionService({ url, apiKey, fetch });
    const options = { keyId, table: 'patients', fields: FIELDS, indexKey: await createIndexKey(service, keyId) };
    patients = encryptedFields(service, options);
    migrating = encryptedFields(service, { ...options, plaintext: 'allow' });
  });

  const [ada, bob, old] = ['a', 'b', 'c'].map((letter) => letter + randomUUID().slice(1)) as [string, string, string];

  test('rows are inserted and read, null stays null, and a row is found by its index', async () => {
    const rows = [
      { id: ada, name: 'Ada', diagnosis: 'measles', email: 'ada@example.org' },
      { id: bob, name: 'Bob', diagnosis: null, email: null },
    ];
    for (const row of await patients.encryptRows(rows)) await db.insert(row);
    const stored = await db.all();
    expect(JSON.stringify(stored)).not.toMatch(/measles|example/);
    expect(await patients.decryptRows(stored)).toEqual(rows);
    const found = await db.withIndex((await patients.index('email', 'ada@example.org')) ?? '');
    expect((await patients.decryptRows(found)).map(({ name }) => name)).toEqual(['Ada']);
  });

  test('a patch is encrypted for the row’s id, and a unique index refuses a second row with the same value', async () => {
    await db.update(ada, await patients.encryptRow({ diagnosis: 'healthy' }, { id: ada }));
    const [first] = await patients.decryptRows(await db.all());
    expect(first).toMatchObject({ name: 'Ada', diagnosis: 'healthy' });
    const twin = await patients.encryptRow({
      id: randomUUID(),
      name: 'Eve',
      diagnosis: null,
      email: 'ada@example.org',
    });
    await expect(db.insert(twin)).rejects.toThrow();
  });

  test('rows in plaintext are read during a migration, and refused after it', async () => {
    await db.insert({ id: old, name: 'Old', diagnosis: 'flu', email: null, email_index: null });
    await expect(patients.decryptRows(await db.all())).rejects.toMatchObject({ name: 'FormatError', rowId: old });
    const rows = await migrating.decryptRows(await db.all());
    expect(rows.find(({ id }) => id === old)).toMatchObject({ diagnosis: 'flu' });
    await db.update(old, await patients.encryptRow({ diagnosis: 'flu' }, { id: old }));
    expect(await patients.decryptRows(await db.all())).toHaveLength(3);
  });
});

test('a dump of the database shows no plaintext, no data key and no two equal values; moved cells are refused', async () => {
  await emptyTable();
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
});

/** The part of the client that Prisma generates for the table which the guide uses. */
interface PatientDelegate {
  create(args: { data: Omit<Stored, 'name'> & Partial<Stored> }): Promise<Stored>;
  findMany(args: { where: { email_index?: string | null } }): Promise<Stored[]>;
}

test('an encrypted row has the types of Prisma’s client, and what it returns can be decrypted (Prisma is not run)', async () => {
  const { url, apiKey, fetch, keyId } = fakeService();
  const service = new EncryptionService({ url, apiKey, fetch });
  const indexKey = await createIndexKey(service, keyId);
  const patients = encryptedFields(service, { keyId, table: 'patients', fields: FIELDS, indexKey });
  const stored: Stored[] = [];
  const patient: PatientDelegate = {
    async create({ data }) {
      stored.push({ name: null, ...data });
      return { name: null, ...data };
    },
    findMany: async ({ where }) => stored.filter((row) => row.email_index === where.email_index),
  };
  const [id, diagnosis, email] = ['a', 'flu', 'ada@example.org'];
  await patient.create({ data: await patients.encryptRow({ id, diagnosis, email }) });
  const email_index = await patients.index('email', email);
  const found = await patients.decryptRows(await patient.findMany({ where: { email_index } }));
  expect(found).toEqual([{ id, name: null, diagnosis, email }]);
});
