import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../../test/sources.ts';
import { ownStack } from '../../../test/support/own-stack.ts';
import { startTestStack } from '../../../test/support/stacks.ts';
import { removeTemporaryFolders, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { makeTenant } from '../../../test/support/tenant.ts';
import { findPackage, HOST, LOWEST, NEWEST, nodeOf } from '../../build/node-packages.ts';

const run = promisify(execFile);
const stack = ownStack();
const project = temporaryFolder('project');

beforeAll(async () => {
  await run('npm', ['pack', '-w', 'client', '--pack-destination', project], { cwd: ROOT });
  await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}');
  const quietly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quietly, 'encryption-service-client-1.0.0.tgz'], { cwd: project });
});
afterAll(removeTemporaryFolders);

describe('strict compilation of a program with the package’s declarations', () => {
  const COMPILERS = {
    'TypeScript 5.9': 'client/node_modules/typescript',
    'TypeScript 6': 'node_modules/typescript',
    'TypeScript 7': 'node_modules/@typescript/native',
  };
  const ENVIRONMENTS = {
    'in Node': { module: 'nodenext', lib: ['es2023'], types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
    'in a browser': {
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
    },
  };

  describe.for(Object.entries(COMPILERS))('compilation with %s', ([, compiler]) => {
    test.for(Object.entries(ENVIRONMENTS))(
      'a strict program that uses the package compiles for use %s',
      async ([, options], { task }) => {
        const dir = join(project, task.id);
        await mkdir(dir);
        await cp(join(import.meta.dirname, 'consumer.ts'), join(dir, 'consumer.ts'));
        const compilerOptions = { ...options, target: 'es2023', strict: true, noEmit: true, skipLibCheck: false };
        await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
        const compiled = run(process.execPath, [join(ROOT, compiler, 'bin/tsc'), '-p', dir]);
        expect(await compiled.catch(({ stdout }) => ({ stdout }))).toMatchObject({ stdout: '' });
      },
    );
  });
});

const COLUMNS_PRINTED = 'found: Grace, measles\nrewrapped 2 rows under version 2\nAda, Grace\n';

test('without an API key, the example that encrypts columns of a table uses that of the demo tenant', async () => {
  // A stack that was lent before has no demo tenant.
  const fresh = await startTestStack();
  onTestFinished(() => fresh.stop());
  await cp(join(ROOT, 'client/examples'), project, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: project, ESK_URL: fresh.baseUrl };
  const printed = await run(process.execPath, ['columns.mjs'], { cwd: project, env });
  expect(printed).toMatchObject({ stdout: COLUMNS_PRINTED });
});

/** The lowest Node that the package names, a later one in which reading a file has an error, this Node, and the newest. */
const VERSIONS = [LOWEST, '21.0.0', process.versions.node, NEWEST];

describe.for(VERSIONS)('the package in Node %s (skipped on other platforms than Linux x64)', (version) => {
  let node: string;
  const isHere = version === process.versions.node;
  const installed = test.skipIf(!isHere && (process.platform !== 'linux' || process.arch !== 'x64'));
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    await cp(join(ROOT, 'client/examples'), project, { recursive: true });
    node = isHere ? process.execPath : nodeOf(findPackage(HOST, version));
    const tenant = await makeTenant(stack);
    const PATH = `${dirname(node)}:${process.env.PATH}`;
    const KEY_ID = await tenant.createKey('software');
    environment = { PATH, KEY_ID, ESK_URL: stack.baseUrl, ESK_API_KEY: tenant.api.token, HOME: project };
  });

  const example = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    run(node, args, { cwd: project, env: { ...environment, ...env } });

  installed('the example that encrypts a value runs, and reports a wrong API key', async () => {
    const { stdout } = await example(['value.mjs', 'DE02 1203 0000 0000 2020 51']);
    expect(stdout).toMatch(/^stored: [\w+/]+=*\ndecrypted: DE02 1203 0000 0000 2020 51\n$/);
    const wrong = { ESK_API_KEY: `esk_${'a'.repeat(26)}_${'b'.repeat(43)}` };
    const failed = await example(['value.mjs', 'a'], wrong).catch((error) => error);
    expect(failed).toMatchObject({ code: 1, stderr: 'the API key is wrong or was revoked\n', stdout: '' });
  });

  installed('the example that encrypts a file runs', async () => {
    const plain = crypto.getRandomValues(new Uint8Array(60_000));
    await writeFile(join(project, 'plain'), plain);
    await example(['file.mjs', 'encrypt', 'plain', 'sealed']);
    await example(['file.mjs', 'decrypt', 'sealed', 'opened']);
    expect(Uint8Array.from(await readFile(join(project, 'opened')))).toEqual(plain);
  });

  installed('the examples that encrypt columns of a table and rotate a key run', async () => {
    expect(await example(['columns.mjs'])).toMatchObject({ stdout: COLUMNS_PRINTED });
    expect(await example(['rotate.mjs'])).toMatchObject({ stdout: 'primary version: 2\nrewrapped: 3 rows\n' });
  });

  installed('esk encrypts a file and standard input whole, and decrypts both', async () => {
    const plain = randomBytes(600_000);
    await writeFile(join(project, 'plain'), plain);
    const esk = 'node node_modules/.bin/esk';
    const lines = [
      `${esk} encrypt --key "$KEY_ID" plain > one && ${esk} decrypt -o opened-one one`,
      `${esk} encrypt --key "$KEY_ID" -o two < plain && ${esk} decrypt < two > opened-two`,
      `cat plain | ${esk} encrypt --key "$KEY_ID" | ${esk} decrypt > opened-three`,
    ];
    for (const line of lines) await run('bash', ['-o', 'pipefail', '-c', line], { cwd: project, env: environment });
    for (const name of ['opened-one', 'opened-two', 'opened-three'])
      expect((await readFile(join(project, name))).equals(plain)).toBe(true);
  });

  installed('esk and the library read a token from a file', async () => {
    const file = join(project, 'token');
    await writeFile(file, `${environment.ESK_API_KEY}\n`);
    const fromFile = { ESK_API_KEY: '', ESK_API_KEY_FILE: file };
    const listed = await example(['node_modules/.bin/esk', 'keys', 'list', '--json'], fromFile);
    // The example with columns has created another key.
    expect(JSON.parse(listed.stdout)).toContainEqual(expect.objectContaining({ id: environment.KEY_ID }));
    const program = `import { workload } from 'encryption-service-client';
      console.log(await workload.file(process.argv[1])());`;
    const read = await example(['--input-type=module', '--eval', program, file]);
    expect(read.stdout.trim()).toBe(environment.ESK_API_KEY);
  });

  installed('esk and the age plugin run, and the plugin shows its identity', async () => {
    expect(await example(['node_modules/.bin/esk', '--version'])).toMatchObject({ stdout: '1.0.0\n' });
    const plugin = await example(['node_modules/.bin/age-plugin-esk']);
    expect(plugin.stdout + plugin.stderr).toContain('AGE-PLUGIN-ESK-1');
  });
});
