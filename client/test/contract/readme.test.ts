import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeTenant } from '../../../test/support/tenant.ts';
import { COMPILE_CACHE } from '../support/esk.ts';
import { logIn } from '../support/sign-in.ts';

const stack = inject('stack');
const client = join(import.meta.dirname, '../..');
const readme = readFileSync(join(client, 'README.md'), 'utf8');
const hasSops = (process.env.PATH ?? '').split(delimiter).some((folder) => isProgram(join(folder, 'sops')));
const DUMP = "create table goods (name text);\ninsert into goods values ('tea');\n";
/** The folder in which the README's commands run. */
let dir: string;
let env: Record<string, string>;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'esk-readme-'));
  const bin = join(dir, '.bin');
  await mkdir(bin);
  // The programs of this repository, and fake versions of the PostgreSQL programs.
  const run = (name: string) => `exec '${process.execPath}' '${join(client, 'bin', name)}' "$@"`;
  const programs = {
    esk: run('esk.js'),
    'age-plugin-esk': run('age-plugin-esk.js'),
    pg_dump: `printf '%s' "$DUMP"`,
    psql: 'cp "$2" restored.sql',
  };
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  env = { PATH, DUMP, HOME: dir, XDG_CONFIG_HOME: join(dir, '.config'), NODE_COMPILE_CACHE: COMPILE_CACHE };
  const { subject } = await makeTenant(stack);
  await logIn({ subject }, { env: { ...env, ESK_URL: stack.baseUrl } });
  // The test has already signed the person in, so `esk login` is skipped. Later code blocks in the README use the
  // variables that the first block exports.
  const [setUp = ''] = blocks('esk: the command line');
  const lines = setUp.replace(/^esk login .*$/m, 'true').replaceAll('http://127.0.0.1:8080', stack.baseUrl);
  const { stdout } = await bash(`${lines}\nenv -0`);
  const exported = [...stdout.matchAll(/(?:^|\0)(ESK_[A-Z_]+)=([^\0]*)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  env = { ...env, ...Object.fromEntries(exported) };
  expect(env.ESK_API_KEY).toMatch(/^esk_/);
});
afterAll(() => rm(dir, { recursive: true }));

/** Returns the README's code blocks between the given heading and the next one. */
function blocks(heading: string, language = 'sh'): string[] {
  const [, section = ''] = readme.split(new RegExp(`^##+ ${heading}$`, 'm'));
  const [own = ''] = section.split(/^##/m);
  return [...own.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);
}

function bash(script: string): Promise<{ stdout: string }> {
  return promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: dir, env, encoding: 'utf8' });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const read = (name: string) => readFile(join(dir, name), 'utf8');
const write = (name: string, content: string) => writeFile(join(dir, name), content);

describe('examples in the README, pasted unchanged', () => {
  test('the example “A backup, in a pipe” works', async () => {
    await bash(blocks('A backup, in a pipe').join(''));
    expect(await read('restored.sql')).toBe(DUMP);
    expect((await readFile(join(dir, 'shop.sql.age'))).toString('latin1')).toMatch(/^age-encryption/);
  });

  test('the example “A file for a colleague” works', async () => {
    await write('contract.pdf', 'signed');
    await bash(blocks('A file for a colleague').join(''));
    expect(await read('her-contract.pdf')).toBe('signed');
    await expect(bash('ESK_API_KEY=$(cat mira.token) esk keys list')).rejects.toMatchObject({ code: 4 });
  });

  test('the example “One column of a table” works', async () => {
    const [code = ''] = blocks('One column of a table', 'js');
    const library = JSON.stringify(join(client, 'src/index.ts'));
    await write('column.mjs', code.replace("'encryption-service-client'", library));
    const { stdout } = await bash('node --disable-warning=ExperimentalWarning column.mjs');
    expect(stdout).toBe('Ada flu\nGrace measles\n');
    expect(await readFile(join(dir, 'clinic.db'), 'latin1')).not.toContain('measles');
  });

  test.skipIf(!hasSops)('the example “Configuration files, with SOPS” works (skipped if SOPS is missing)', async () => {
    await write('settings.yaml', 'password: secret\n');
    const { stdout } = await bash(blocks('Configuration files, with SOPS').join(''));
    expect(stdout).toBe('password: secret\n');
    expect(await read('settings.enc.yaml')).not.toContain('secret');
  });

  test('the example “A rotation, then a folder of files” works', async () => {
    await mkdir(join(dir, 'archive'));
    await bash('for day in mon tue; do echo $day | esk encrypt --key backups --context shop -o archive/$day.age; done');
    const before = await readFile(join(dir, 'archive/mon.age'));
    await bash(blocks('A rotation, then a folder of files').join(''));
    expect((await readFile(join(dir, 'archive/mon.age'))).equals(before)).toBe(false);
    const { stdout } = await bash(
      'esk decrypt --context shop archive/mon.age; esk decrypt --context shop archive/tue.age',
    );
    expect(stdout).toBe('mon\ntue\n');
    expect(await readdir(join(dir, 'archive'))).toEqual(['mon.age', 'tue.age']);
  });
});
