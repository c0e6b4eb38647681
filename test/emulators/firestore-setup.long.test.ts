import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openProcessLog } from '../../emulators/base/process-log.ts';
import { REPOSITORY_ROOT } from '../../emulators/base/repository.ts';
import { startFirestore } from '../../emulators/firestore/server.ts';
import { type FirestoreHost, HOST, startFirestoreHost } from './firestore-host.ts';

const VERSION = '9.9.9';
const JAR = `cloud-firestore-emulator-v${VERSION}.jar`;
const jar = randomBytes(1_000_000);
let host: FirestoreHost;
let home = '';

beforeAll(async () => {
  host = await startFirestoreHost();
});
afterAll(() => host?.stop());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
  host.asked.length = 0;
  host.answer = { status: 200, body: jar };
});
afterEach(() => rmSync(home, { recursive: true }));

const cache = () => join(home, '.cache', 'firebase', 'emulators');

/** Runs a command of the project for somebody who has no emulator, and no Cloud SDK. */
async function run(command: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CLOUDSDK_ROOT_DIR: join(home, 'google-cloud-sdk'),
    ...host.env,
    ...more,
  };
  const child = spawn(process.execPath, command, { cwd: REPOSITORY_ROOT, env });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, ...said };
}
const provide = (more?: NodeJS.ProcessEnv) => run(['test/emulators/provide-firestore.ts'], more);
const START = ['emulators/start.ts', '--ephemeral', '--port', '24080'];

describe('where no emulator is found', () => {
  const version = { FIRESTORE_EMULATOR_VERSION: VERSION };

  test('firebase-tools fetches it, what it does is shown, and the next start finds it', async () => {
    const { code, stdout } = await provide(version);
    expect(stdout).toMatch(/^No Firestore emulator found.*firebase setup:emulators:firestore; later starts reuse it\n/);
    expect(stdout).toContain(`downloading ${JAR}`);
    expect(host.asked).toEqual([`${HOST}/firebase-preview-drop/emulator/${JAR}`]);
    expect(code).toBe(0);
    expect(readdirSync(cache())).toEqual([JAR]);
    expect(readFileSync(join(cache(), JAR)).equals(jar)).toBe(true);
    expect(await provide(version)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(host.asked).toHaveLength(1);
  });

  test('it is fetched to where firebase-tools is told to keep emulators, and found there', async () => {
    const elsewhere = join(home, 'elsewhere');
    expect((await provide({ ...version, FIREBASE_EMULATORS_PATH: elsewhere })).code).toBe(0);
    expect(readdirSync(elsewhere)).toEqual([JAR]);
    expect(await provide({ FIREBASE_EMULATORS_PATH: elsewhere })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('of two that start at once one fetches it, and both have it', async () => {
    const both = await Promise.all([provide(version), provide(version)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(host.asked).toHaveLength(1);
    expect(readdirSync(cache())).toEqual([JAR]);
  });

  test('what a process that was killed had begun is neither taken nor kept', async () => {
    const begun = join(cache(), 'fetching-2147483646');
    mkdirSync(begun, { recursive: true });
    writeFileSync(join(begun, JAR), 'half of it');
    writeFileSync(join(cache(), 'fetching.lock'), '2147483646\n');
    expect((await provide(version)).code).toBe(0);
    expect(readdirSync(cache())).toEqual([JAR]);
    expect(readFileSync(join(cache(), JAR)).equals(jar)).toBe(true);
  });

  test.each([
    ['the host refuses', { status: 403, body: 'forbidden' }, version, 'download failed, status 403: forbidden'],
    // Of the version that is meant for this Java, size or digest are known.
    ['the host answers something else', { status: 200, body: 'no jar' }, {}, 'downloading'],
  ])('and %s, one line says what can be done, and nothing is kept', async (_when, answer, more, shown) => {
    host.answer = answer;
    const { code, stdout, stderr } = await run(START, more);
    expect(code).toBe(1);
    expect(stdout).toContain(shown);
    const [last] = stderr.trimEnd().split('\n').slice(-1);
    expect(last).toMatch(
      /^The Firestore emulator is missing.*FIRESTORE_EMULATOR_HOST to the address of a running emulator\.$/,
    );
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(readdirSync(cache())).toEqual([]);
  });

  test('but one that runs is named, nothing is fetched', async () => {
    expect(await provide({ FIRESTORE_EMULATOR_HOST: '127.0.0.1:8085' })).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(host.asked).toEqual([]);
  });
});

describe('Java', () => {
  const needed = /^The Firestore emulator needs Java 17 or newer \(.*\)\. Install it, for example with `.*`\n$/;

  test('a missing Java is reported in one line, before anything is fetched or started', async () => {
    const { code, stdout, stderr } = await run(START, { PATH: home });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(needed);
    expect(host.asked).toEqual([]);
  });

  test('that is too old is named', async () => {
    const old = 'openjdk version "11.0.2" 2019-01-15';
    writeFileSync(join(home, 'java'), `#!/bin/sh\necho '${old}' >&2\n`, { mode: 0o755 });
    const { code, stderr } = await run(START, { PATH: home });
    expect(code).toBe(1);
    expect(stderr).toMatch(needed);
    expect(stderr).toContain(old);
  });

  test('that is older than the emulator’s is told which one that needs', async () => {
    // A release looks at the version before anything else of a class; the class path may be a folder.
    const folder = join(home, JAR);
    const file = join(folder, 'com/google/cloud/datastore/emulator/firestore/CloudFirestore.class');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.from('cafebabe000000c8', 'hex'));
    const starting = startFirestore({ jar: folder, port: 24_085, seed: undefined, log: openProcessLog(undefined) });
    await expect(starting).rejects.toThrow(`The Firestore emulator needs Java 156 or newer (required by ${folder}`);
  });
});

test('a script that starts a stack installs the packages first', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8')));
  const starting = Object.entries(scripts).filter(([name]) => /^(start|test|coverage|bench|drill)(:|$)/.test(name));
  expect(starting.length).toBeGreaterThan(6);
  for (const [, script] of starting) expect(script).toMatch(/^npm run (--silent setup|build) && /);
});
