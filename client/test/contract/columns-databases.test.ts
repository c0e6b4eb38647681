import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/node-postgres';
import { customType, pgTable } from 'drizzle-orm/pg-core';
import pg from 'pg';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { listen, portOf } from '../../../emulators/base/listen.ts';
import { ROOT } from '../../../test/sources.ts';
import { makeTenant } from '../../../test/support/tenant.ts';

const stack = inject('stack');
const page = readFileSync(join(ROOT, 'docs/columns-databases.md'), 'utf8');
const CLIENT = join(ROOT, 'client');

/** Returns the code block of a section in a language, whose imports of the package are those of the sources. */
function blockOf(heading: string, language = 'ts'): string {
  const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const [, block] = section.match(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms')) ?? [];
  if (block === undefined) throw new Error(`${heading} has no code`);
  return block.replace(/'encryption-service-client(?:\/(\w+))?'/g, (_, entry: string | undefined) => {
    return `'${join(CLIENT, 'src', entry ?? '', 'index.ts')}'`;
  });
}

/** The page's libraries, and what ends their connections at the end of a test. */
const END = { pg: 'pool.end()', Kysely: 'db.destroy()', Drizzle: 'pool.end()', Knex: 'knex.destroy()' } as const;
const LIBRARIES = Object.entries(END).map(([name, end]): [string, string] => [
  name,
  `${blockOf('Declare the columns')}\n${blockOf(name)}\n${blockOf('Use the queries')}\nawait ${end};`,
]);

/** What the page's block for Prisma uses: the part of the client that Prisma would generate for the table. */
const PRISMA = `
const stored: Stored[] = [];
const patient = {
  async create({ data }: { data: Omit<Stored, 'name'> & Partial<Stored> }): Promise<Stored> {
    stored.push({ name: null, ...data });
    return { name: null, ...data };
  },
  async findMany({ where }: { where: { email_index?: string | null } }): Promise<Stored[]> {
    return stored.filter(({ email_index }) => email_index === where.email_index);
  },
};
const prisma = { patient };
const { id, diagnosis, email } = { id: 'a', diagnosis: 'flu', email: 'ada@example.org' };
`;
const WITH_PRISMA = `${blockOf('Declare the columns')}\n${PRISMA}\n${blockOf('Prisma')}`;

/** PostgreSQL, to which each program connects with its own driver. */
let database: PGlite;
const server = createServer((socket) => {
  let answered = Promise.resolve();
  socket.on('data', (data) => {
    answered = answered.then(async () => {
      socket.write(await database.execProtocolRaw(new Uint8Array(data)));
    });
  });
});
beforeAll(async () => {
  database = new PGlite();
  await database.waitReady;
  await listen(server, 0);
});
afterAll(async () => {
  server.close();
  await database.close();
});

const databaseUrl = () => `postgres://postgres@127.0.0.1:${portOf(server)}/postgres`;

async function printedBy(program: string): Promise<unknown[]> {
  const { api } = await makeTenant(stack);
  const env = { ...process.env, BASE: stack.baseUrl, API_KEY: api.token, DATABASE_URL: databaseUrl() };
  const script = program.replaceAll(/console\.log\((.*)\);/g, 'console.log(JSON.stringify($1));');
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: CLIENT, env });
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

test('the programs of docs/columns-databases.md compile, so that each library accepts the types of encrypted rows', () => {
  const all = [...LIBRARIES, ['Prisma', WITH_PRISMA]] as const;
  const programs = new Map(all.map(([name, program]) => [join(CLIENT, 'test', `${name}.ts`), program]));
  const options: ts.CompilerOptions = {
    ...{ module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2024, types: ['node'] },
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
  };
  const host = ts.createCompilerHost(options);
  const [readFile, fileExists] = [host.readFile, host.fileExists];
  host.readFile = (name) => programs.get(name) ?? readFile(name);
  host.fileExists = (name) => programs.has(name) || fileExists(name);
  host.getCurrentDirectory = () => CLIENT;
  const found = ts.getPreEmitDiagnostics(ts.createProgram([...programs.keys()], options, host));
  expect(ts.formatDiagnostics(found, host)).toBe('');
});

describe('the queries of docs/columns-databases.md', () => {
  test.each(LIBRARIES)(
    'with %s, rows are inserted, found, updated and migrated, and null and the unique constraint are kept',
    async (_, program) => {
      await database.exec(`drop table if exists patients; ${blockOf('Declare the columns', 'sql')}`);
      const ada = { name: 'Ada', diagnosis: 'flu', email: 'ada@example.org' };
      const bob = { name: 'Bob', diagnosis: null, email: null };
      const old = { name: 'Old', diagnosis: 'measles', email: 'old@example.org' };
      const migrated = [{ ...ada, diagnosis: 'healthy' }, bob, old];
      expect(await printedBy(program)).toMatchObject([[ada, bob], [ada], 'this email is taken', migrated]);
      const stored = await database.query('select * from patients');
      expect(stored.rows).toHaveLength(3);
      expect(JSON.stringify(stored.rows)).not.toMatch(/"flu"|healthy|measles|example/);
    },
  );

  test('with a stand-in for Prisma, which is not run, a row is inserted and found', async () => {
    const found = { id: 'a', name: null, diagnosis: 'flu', email: 'ada@example.org' };
    expect(await printedBy(WITH_PRISMA)).toEqual([[found]]);
  });
});

test('a promise from a column hook, which is synchronous, is stored as {}', async () => {
  const encrypted = customType<{ data: string }>({ dataType: () => 'text', toDriver: async (value) => value });
  const notes = pgTable('notes', { text: encrypted() });
  await database.exec('create table notes (text text)');
  const pool = new pg.Pool({ connectionString: databaseUrl() });
  await drizzle({ client: pool }).insert(notes).values({ text: 'flu' });
  await pool.end();
  expect((await database.query('select * from notes')).rows).toEqual([{ text: '{}' }]);
});
