import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { openProcessLog } from '../../emulators/base/child-process.ts';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { REPOSITORY_ROOT } from '../../emulators/base/repository.ts';
import { startFirestore } from '../../emulators/firestore/server.ts';
import { portsFrom } from '../../emulators/stack/ports.ts';
import { leasePorts, type PortLease } from '../../emulators/stack/separate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The host that emulators are downloaded from. */
const HOST = 'https://storage.googleapis.com';

/** The paths of the requests to the imitated host so far, and its answer to each. */
const requested: (string | undefined)[] = [];
let answer: { readonly status: number; readonly body: string | Buffer };

/** Imitates the download host. */
const host = createServer((request, response) => {
  requested.push(request.url);
  response.writeHead(answer.status, { 'content-length': answer.body.length }).end(answer.body);
});

const VERSION = '9.9.9';
const JAR = `cloud-firestore-emulator-v${VERSION}.jar`;
const jar = randomBytes(1_000_000);
let home = '';

let lease: PortLease;
beforeAll(async () => {
  lease = await leasePorts();
  await listen(host, 0);
});
afterAll(() => {
  lease.release();
  host.close();
});
beforeEach(() => {
  home = temporaryFolder('home');
  requested.length = 0;
  answer = { status: 200, body: jar };
});

const cache = () => join(home, '.cache', 'firebase', 'emulators');

/** Runs a command as on a machine that has neither emulator nor Cloud SDK, and that reaches only the imitated host. */
async function run(command: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const redirect = `const { fetch } = globalThis;
    globalThis.fetch = async (url, options) => {
      if (!url.startsWith('${HOST}/')) throw new Error('no network');
      return fetch(url.replace('${HOST}', 'http://127.0.0.1:${portOf(host)}'), options);
    };`;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CLOUDSDK_ROOT_DIR: join(home, 'google-cloud-sdk'),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(redirect)}`,
    ...more,
  };
  const child = spawn(process.execPath, command, { cwd: REPOSITORY_ROOT, env });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}
const PROVIDE = `import { provideFirestore } from './emulators/firestore/provide.ts'; await provideFirestore(process.env);`;
const provide = (more?: NodeJS.ProcessEnv) => run(['--input-type=module', '--eval', PROVIDE], more);
const start = () => ['emulators/start.ts', '--ephemeral', '--port', String(lease.port)];

const version = { FIRESTORE_EMULATOR_VERSION: VERSION };

test('the first start says that firebase-tools downloads the emulator, and the next start reuses the emulator', async () => {
  const { code, stdout } = await provide(version);
  expect(stdout).toMatch(/^No Firestore emulator found.*firebase setup:emulators:firestore; later starts reuse it\n/);
  expect(stdout).toContain(`downloading ${JAR}`);
  expect(requested).toEqual([`/firebase-preview-drop/emulator/${JAR}`]);
  expect(code).toBe(0);
  expect(readdirSync(cache())).toEqual([JAR]);
  expect(readFileSync(join(cache(), JAR)).equals(jar)).toBe(true);
  expect(await provide(version)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(requested).toHaveLength(1);
});

test('if two stacks start at once, one of them downloads the emulator for both', async () => {
  const both = await Promise.all([provide(version), provide(version)]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(requested).toHaveLength(1);
  expect(readdirSync(cache())).toEqual([JAR]);
});

test('an unfinished download that a killed process left behind is removed and not used', async () => {
  const begun = join(cache(), 'fetching-2147483646');
  mkdirSync(begun, { recursive: true });
  writeFileSync(join(begun, JAR), 'half of it');
  writeFileSync(join(cache(), 'fetching.lock'), '2147483646\n');
  expect((await provide(version)).code).toBe(0);
  expect(readdirSync(cache())).toEqual([JAR]);
  expect(readFileSync(join(cache(), JAR)).equals(jar)).toBe(true);
});

test.each([
  [
    'the host refuses the download',
    { status: 403, body: 'forbidden' },
    version,
    'download failed, status 403: forbidden',
  ],
  // firebase-tools compares the file with the size or digest of the version that it expects.
  ['the host sends another file', { status: 200, body: 'no jar' }, {}, 'downloading'],
])('if %s, the start fails with advice in its last line, and keeps no file', async (_, answered, more, shown) => {
  answer = answered;
  const { code, stdout, stderr } = await run(start(), more);
  expect(code).toBe(1);
  expect(stdout).toContain(shown);
  const [last] = stderr.trimEnd().split('\n').slice(-1);
  expect(last).toMatch(
    /^The Firestore emulator is missing.*FIRESTORE_EMULATOR_HOST to the address of a running emulator\.$/,
  );
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(readdirSync(cache())).toEqual([]);
});

test('if FIRESTORE_EMULATOR_HOST names a running emulator, nothing is downloaded', async () => {
  expect(await provide({ FIRESTORE_EMULATOR_HOST: '127.0.0.1:8085' })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(requested).toEqual([]);
});

const needed = /^The Firestore emulator needs Java 17 or newer \(.*\)\. Install it, for example with `.*`\n$/;

test('missing Java is reported in one line, before anything is downloaded or started', async () => {
  const { code, stdout, stderr } = await run(start(), { PATH: home });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(needed);
  expect(requested).toEqual([]);
});

test('if Java is older than the emulator requires, the error names the required version', async () => {
  // Java checks the version of a class file first, so eight bytes of it are enough. Its folder replaces the JAR.
  const folder = join(home, JAR);
  const file = join(folder, 'com/google/cloud/datastore/emulator/firestore/CloudFirestore.class');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, Buffer.from('cafebabe000000c8', 'hex'));
  const starting = startFirestore({
    jar: folder,
    port: portsFrom(lease.port).firestore,
    seed: undefined,
    log: openProcessLog(undefined),
  });
  await expect(starting).rejects.toThrow(`The Firestore emulator needs Java 156 or newer (required by ${folder}`);
});

test('every script that starts a stack installs the packages first', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8')));
  const starting = Object.entries(scripts).filter(([name]) => /^(start|test|coverage|bench|drill)(:|$)/.test(name));
  expect(starting.length).toBeGreaterThan(6);
  for (const [, script] of starting) expect(script).toMatch(/^npm run (--silent setup|check|build) && /);
});
