import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { findFirestoreJar, provideFirestore } from '../../emulators/firestore/provide.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SOURCES = ['console', 'client', 'deploy', 'emulators', 'functions', 'operator', 'policies', 'shared'];
const FILES = ['firebase.json', 'firestore.indexes.json', 'firestore.rules', 'package.json', 'package-lock.json'];
const NOBODY = 54_321;
const PORT = 24_080;
const isRoot = process.getuid?.() === 0 && existsSync('/usr/bin/setpriv');

let stack: ChildProcess | undefined;
afterAll(() => stack?.kill('SIGKILL'));

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
  const child = spawn(program, args, { cwd: folder, env });
  stack = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const exit = once(child, 'exit');
  await Promise.race([expect.poll(() => output, { timeout: 150_000 }).toContain('Press Ctrl-C to stop.'), exit]);
  expect(output).toContain('Press Ctrl-C to stop.');
  if (existsSync('/dev/full')) expect(output).toContain('The stack stopped writing');

  const { demo } = z
    .object({ demo: z.object({ api_key: z.string(), key_id: z.string() }) })
    .parse(await (await fetch(`http://127.0.0.1:${PORT + 9}/`)).json());
  const encrypted = await fetch(`http://127.0.0.1:${PORT}/v1/keys/${demo.key_id}/encrypt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ plaintext: 'aGk=' }),
  });
  expect(encrypted.status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${PORT - 8080 + 5173}/`)).status).toBe(200);
  child.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
}, 240_000);
