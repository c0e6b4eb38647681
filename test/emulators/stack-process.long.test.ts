import { type ChildProcess, execFile, execFileSync, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listen } from '../../emulators/base/listen.ts';
import { REPOSITORY_ROOT } from '../../emulators/base/repository.ts';
import { findFirestoreJar, provideFirestore } from '../../emulators/firestore/provide.ts';
import { type Ports, portsFrom, portsToHold, refusePortsInUse } from '../../emulators/stack/ports.ts';
import { leasePorts, type PortLease } from '../../emulators/stack/separate.ts';
import { ROOT } from '../sources.ts';
import { send } from '../support/client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const list = promisify(execFile);
const features = { billing: true, console: true, wrappedRoot: true, transit: true, ownFirestore: true };
let lease: PortLease;
let ports: Ports;
let stack: ChildProcess | undefined;

beforeAll(async () => {
  lease = await leasePorts();
  ports = portsFrom(lease.port);
});
afterAll(() => lease.release());

afterEach(() => stack?.kill('SIGKILL'));

/** Starts a program. `output` returns what it has printed so far. */
function start(program: string, args: readonly string[], options: SpawnOptionsWithoutStdio) {
  const child = spawn(program, args, options);
  stack = child;
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void printed.push(String(chunk)));
  return { process: child, output: () => printed.join('') };
}

const run = (...flags: string[]) =>
  start(process.execPath, ['emulators/start.ts', '--port', String(lease.port), ...flags], { cwd: REPOSITORY_ROOT });

async function runUntilReady() {
  const running = run('--ephemeral');
  await expect.poll(running.output).toContain('Press Ctrl-C to stop.');
  return running;
}

/** Whether no process of the stack runs. Checks command lines too, as a starting process does not listen on a port. */
async function nothingIsLeft(): Promise<boolean> {
  const { stdout } = await list('ps', ['-A', '-ww', '-o', 'args=']);
  const named = Object.values(ports).some((port) => stdout.includes(`port=${port}`) || stdout.includes(`:${port}`));
  return !named && (await refusePortsInUse(portsToHold(ports, features)).catch(() => 'held')) !== 'held';
}

test('Ctrl-C stops every process of the stack with exit code 0, even if pressed twice', async () => {
  const { process: child, output } = await runUntilReady();
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  child.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
  expect(output()).toMatch(/\nStopped\.\n$/);
  expect(await nothingIsLeft()).toBe(true);
});

test('every process of a stack ends when the stack is killed', async () => {
  const { process: child } = await runUntilReady();
  child.kill('SIGKILL');
  await expect.poll(nothingIsLeft).toBe(true);
});

test('a stack that a test has started ends when the test’s process ends', async () => {
  const separate = new URL('../../emulators/stack/separate.ts', import.meta.url).href;
  const script = `import { startSeparateStack } from '${separate}';
    process.stdout.write((await startSeparateStack('--no-console')).baseUrl);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  stack = child;
  const [baseUrl] = await once(child.stdout, 'data');
  child.kill('SIGKILL');
  const answer = () => fetch(`${baseUrl}/health`).catch(() => 'gone');
  await expect.poll(answer).toBe('gone');
});

const STEPS = ['identity provider', 'policy decisions', 'service  '];
test.each(STEPS)('Ctrl-C just after the stack prints “%s” ends every process', async (line) => {
  const { process: child, output } = run('--ephemeral');
  await expect.poll(output, { interval: 5 }).toContain(line);
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
  await expect.poll(nothingIsLeft).toBe(true);
});

test('a port in use is reported in one line, and nothing is started', async () => {
  const holder = createServer();
  await listen(holder, ports.firestore);
  const { process: child, output } = run('--ephemeral');
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(output()).toBe(
    `Port ${ports.firestore} (Firestore) is in use. Stop the program that uses it, or start with --port N\n`,
  );
  holder.close();
});

test('an unknown flag is reported in one line', async () => {
  const { process: child, output } = run('--nope');
  expect(await once(child, 'exit')).toEqual([2, null]);
  expect(output()).toBe("Unknown option '--nope'\n");
});

const SOURCES = ['console', 'client', 'deploy', 'emulators', 'functions', 'operator', 'policies', 'shared'];
const FILES = ['firebase.json', 'firestore.indexes.json', 'firestore.rules', 'package.json', 'package-lock.json'];
const NOBODY = 54_321;
const PORT = 24_080;
const isRoot = process.getuid?.() === 0 && existsSync('/usr/bin/setpriv');

/** Copies the repository into a folder, which belongs to a user without an entry in passwd if possible. */
function copyInto(folder: string): void {
  for (const source of [...SOURCES, ...FILES]) {
    cpSync(join(ROOT, source), join(folder, source), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)$/.test(path),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, '.local'));
  // Writing to this device fails as on a full disk.
  if (existsSync('/dev/full')) {
    for (const log of ['service.log', 'firestore.log', 'cerbos.log'])
      symlinkSync('/dev/full', join(folder, '.local', log));
  }
  if (isRoot) {
    execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
    chownSync(dirname(folder), NOBODY, NOBODY);
  }
}

/** Links the emulator's jar into the folder, because another user cannot read this user's cache. */
async function provideJar(folder: string): Promise<void> {
  await provideFirestore(process.env);
  const jar = findFirestoreJar(process.env);
  mkdirSync(folder);
  if (jar === undefined) return;
  try {
    linkSync(jar, join(folder, basename(jar)));
  } catch {
    cpSync(jar, join(folder, basename(jar)));
  }
}

test('a stack starts in a folder with any name, behind a proxy, with full logs, and as a user without a home', async () => {
  const parent = temporaryFolder('odd');
  const folder = join(parent, 'C# 100% ü');
  copyInto(folder);
  const jars = join(parent, 'jars');
  await provideJar(jars);
  const proxy = 'http://127.0.0.1:1';
  const env = {
    PATH: process.env.PATH,
    FIREBASE_EMULATORS_PATH: jars,
    ...Object.fromEntries(['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => [name, proxy])),
  };
  const command = [process.execPath, 'emulators/start.ts', '--port', String(PORT)];
  const as = isRoot ? ['/usr/bin/setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const [program = '', ...args] = [...as, ...command];
  const { process: child, output } = start(program, args, { cwd: folder, env });
  const exit = once(child, 'exit');
  await Promise.race([expect.poll(output).toContain('Press Ctrl-C to stop.'), exit]);
  expect(output()).toContain('Press Ctrl-C to stop.');
  if (existsSync('/dev/full')) expect(output()).toContain('The stack stopped writing');
  expect(output()).toContain('\nexport no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost\nexport ESK_URL=');

  const { demo } = Object((await send('GET', `http://127.0.0.1:${PORT + 9}/`)).body);
  const encryptUrl = `http://127.0.0.1:${PORT}/v1/keys/${demo.key_id}/encrypt`;
  const encrypted = await send('POST', encryptUrl, { token: demo.api_key, body: { plaintext: 'aGk=' } });
  expect(encrypted.status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${PORT - 8080 + 5173}/`)).status).toBe(200);
  child.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
});
