import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { openProcessLog, startChild } from '../../emulators/base/child-process.ts';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { StartError } from '../../emulators/base/start-error.ts';
import { StateFile } from '../../emulators/base/state-file.ts';
import { Exports } from '../../emulators/firestore/exports.ts';
import { findFirestoreJar, ownFolder } from '../../emulators/firestore/provide.ts';
import { makeClock, microsOf, timestampOf } from '../../emulators/stack/clock.ts';
import { openDataDir } from '../../emulators/stack/data-dir.ts';
import { startFaultProxy, targetOf } from '../../emulators/stack/faults.ts';
import { parseFlags, UsageError } from '../../emulators/stack/flags.ts';
import { portsFrom, portsToHold } from '../../emulators/stack/ports.ts';
import { Schedules } from '../../emulators/stack/schedules.ts';
import { LEASABLE_PORTS, leasePorts } from '../../emulators/stack/separate.ts';
import { MINUTE_MS } from '../support/steer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test.each([
  [[], {}],
  [['--port', '9080'], { port: 9080 }],
  [['--deployed'], { deployed: true }],
  [['--fresh'], { fresh: true }],
  [['--ephemeral'], { dir: undefined }],
  [['--no-billing'], { billing: false }],
  [['--no-console'], { console: false, billing: false }],
  [['--no-transit'], { transit: false }],
  [['--no-schedules'], { schedules: false }],
  [['--closed'], { closed: true }],
  [['--demo'], { demoMonth: true }],
  [['--no-wrapped-root'], { wrappedRoot: false }],
  [['--short-deadlines'], { shortDeadlines: true }],
])('with the flags %j, these options differ from the defaults: %o', (args, changes) => {
  expect(parseFlags(args, '.local')).toEqual({
    ...{ port: 8080, dir: '.local', console: true, billing: true, wrappedRoot: true, transit: true, schedules: true },
    ...{ closed: false, demoMonth: false, deployed: false, fresh: false, shortDeadlines: false, ...changes },
  });
});

test.each([
  ['--nope'],
  ['stray'],
  ['--port'],
  ['--port='],
  ['--port', 'x'],
  ['--port', '80'],
  ['--port', '65517'],
  ['--port', '8080.5'],
  ['--fresh', '--ephemeral'],
  ['--demo', '--no-console'],
  ['--demo', '--closed'],
])('the flags %s %s are refused with a one-line error', (...args) => {
  expect(() => parseFlags(args, '.local')).toThrow(UsageError);
  expect(() => parseFlags(args, '.local')).toThrow(/^.+$/);
});

const features = { billing: true, console: true, wrappedRoot: true, transit: true, ownFirestore: true, deployed: true };

test('no port of one leased stack can be a port of another', () => {
  const ports = LEASABLE_PORTS.flatMap((port) => portsToHold(portsFrom(port), features).map(({ port }) => port));
  expect(new Set(ports).size).toBe(ports.length);
});

test('two leases are never for the same ports', async () => {
  const leases = await Promise.all(Array.from({ length: 12 }, leasePorts));
  expect(new Set(leases.map(({ port }) => port)).size).toBe(12);
  for (const { release } of leases) release();
});

afterEach(() => void vi.useRealTimers());
/** Fakes the time for the rest of the test. */
const fakeTime = () => vi.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z') });

test.each([
  ['2026-10-31T23:59:59.999999Z', 1793491199999999],
  ['2026-10-31T23:59:59Z', 1793491199000000],
  ['2026-11-01T01:59:59.5+02:00', 1793491199500000],
  ['2026-10-31T23:59:59.1234567Z', 1793491199123456],
])('%s is %d microseconds after the epoch', (timestamp, micros) => {
  expect(microsOf(timestamp)).toBe(micros);
});

test('the clock shows real time until it is set, runs on afterwards by whole microseconds, and can return to real time', () => {
  fakeTime();
  const clock = makeClock();
  expect(clock.now()).toBe(Date.now());
  clock.set(microsOf('2026-10-31T23:59:59.999999Z'));
  expect(timestampOf(clock.now())).toBe('2026-10-31T23:59:59.999999Z');
  vi.advanceTimersByTime(1);
  expect(timestampOf(clock.now())).toBe('2026-11-01T00:00:00.000999Z');
  expect(clock.offsetMicros()).toBe(1793491199999999 - 1795176000000000);
  clock.set(null);
  expect([clock.now(), clock.offsetMicros()]).toEqual([Date.now(), 0]);
});

test('destroy-due-keys, seal-audit and close-month run twelve, six and one times an hour; a restart begins all intervals again', async () => {
  fakeTime();
  const ran: string[] = [];
  const schedules = new Schedules(async (job) => ran.push(job), expect.unreachable);
  await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);
  schedules.restart();
  await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);
  expect(ran).toEqual([]);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(ran).toEqual(['destroy-due-keys']);
  await vi.advanceTimersByTimeAsync(55 * MINUTE_MS);
  await schedules.stop();
  const times = (job: string) => ran.filter((one) => one === job).length;
  expect([times('destroy-due-keys'), times('seal-audit'), times('close-month')]).toEqual([12, 6, 1]);
});

test('no second run of a job starts during a long run, and a failed run is reported and does not prevent the next run', async () => {
  fakeTime();
  const first = Promise.withResolvers<void>();
  const answers = [first.promise, Promise.resolve()];
  const run = vi.fn(() => answers.shift() ?? Promise.resolve());
  const report = vi.fn();
  const schedules = new Schedules(run, report);
  await vi.advanceTimersByTimeAsync(9 * MINUTE_MS);
  expect(run).toHaveBeenCalledTimes(1);
  first.reject(new Error('the service exited'));
  await vi.advanceTimersByTimeAsync(0);
  expect(report.mock.calls).toEqual([['destroy-due-keys failed: the service exited']]);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(run).toHaveBeenCalledTimes(3);
  await schedules.stop();
});

test('schedules stop after a bounded time, even if a run never ends', async () => {
  fakeTime();
  const schedules = new Schedules(() => new Promise(() => undefined), expect.unreachable);
  await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);
  const stopped = vi.fn();
  schedules.stop().then(stopped);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(stopped).toHaveBeenCalled();
});

test('a process of the service answers an invalid message of the stack with an error', async () => {
  const module = new URL('../../functions/local/stack-commands.ts', import.meta.url).href;
  const script = `import { acceptStackCommands } from '${module}'; acceptStackCommands({});`;
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: [...stdio] });
  onTestFinished(() => void child.kill());
  child.send({ id: 1, clock_offset_us: 2 ** 60 });
  const [answer] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  expect(answer).toEqual({ id: 1, error: expect.any(String) });
});

test('a child process that is told to stop gets time to finish its work', async () => {
  const script = "trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.01; done";
  const child = startChild({ name: 'part', command: ['sh', '-c', script], log: openProcessLog(undefined) });
  await expect.poll(child.tail).toBe('ready');
  await child.stop(60_000);
  await expect.poll(child.tail).toBe('ready\nsaved');
  expect(await child.ended).toBe('exit code 0');
});

test('a child process that does not stop in time is killed, together with its own child processes', async () => {
  const log = openProcessLog(undefined);
  const outputs: Promise<unknown>[] = [];
  const follow = (stream: Readable) => {
    log.follow(stream);
    outputs.push(once(stream, 'end'));
  };
  const command = ['sh', '-c', "trap '' TERM; sleep 600 & echo ready; wait"];
  const child = startChild({ name: 'part', command, log: { ...log, follow } });
  await expect.poll(child.tail).toBe('ready');
  await child.stop(10);
  expect(await child.ended).toBe('SIGKILL');
  // The output ends when the last process that can write to it ends.
  await Promise.all(outputs);
});

let dir = '';

beforeEach(() => {
  dir = join(temporaryFolder('stack'), '.local');
});

/** A thread of this process that is no process. Only Linux shows it. */
const THREAD = (existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [])
  .filter((id) => id !== String(process.pid))
  .map((id): [string, string] => ['a thread of another process', id])
  .slice(0, 1);

test.each<[string, string]>([
  ['a process that has ended', '2147483646'],
  ['an earlier process with the same id', String(process.pid)],
  ['no process', ''],
  ...THREAD,
])('a data directory whose lock names %s can be opened, even if taking that lock over was interrupted', (_, holder) => {
  openDataDir(dir, { fresh: false })?.unlock();
  for (const left of [['lock'], ['lock', 'lock.takeover']]) {
    for (const name of left) writeFileSync(join(dir, name), holder);
    openDataDir(dir, { fresh: false })?.unlock();
    expect(readdirSync(dir)).toEqual([]);
  }
});

test('a start with the option `fresh` deletes the data, and any other start keeps the data', () => {
  openDataDir(dir, { fresh: false })?.unlock();
  const file = join(dir, 'demo.json');
  writeFileSync(file, '{}');
  openDataDir(dir, { fresh: false })?.unlock();
  expect(existsSync(file)).toBe(true);
  const fresh = openDataDir(dir, { fresh: true });
  expect(existsSync(file)).toBe(false);
  expect([existsSync(fresh?.path('lock') ?? ''), statSync(dir).mode & 0o777]).toEqual([true, 0o700]);
  fresh?.unlock();
});

test('only one of several processes gets the lock of a process that has ended', async () => {
  const rounds = 150;
  mkdirSync(dir);
  const files = Array.from({ length: rounds }, (_, at) => join(dir, String(at)));
  for (const file of files) writeFileSync(file, '2147483646');
  const module = new URL('../../emulators/base/lock-file.ts', import.meta.url).href;
  // All processes begin each round at the same time, and keep their locks until all have ended their rounds.
  const script = `import { takeLock } from '${module}';
    const [start, ...files] = process.argv.slice(1);
    for (const [at, file] of files.entries()) {
      const leftMs = () => Number(start) + 3 * at - Date.now();
      if (leftMs() > 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, leftMs() - 2);
      while (leftMs() > 0);
      if ('release' in takeLock(file)) console.log(at);
    }
    console.log('end');
    process.stdin.resume();`;
  const start = String(Date.now() + 1_500);
  const children = [1, 2, 3].map(() => spawn(process.execPath, ['--input-type=module', '-e', script, start, ...files]));
  const printed: string[] = [];
  for (const { stdout } of children) createInterface(stdout).on('line', (line) => void printed.push(line));
  await expect.poll(() => printed.filter((line) => line === 'end')).toHaveLength(3);
  for (const { stdin } of children) stdin.end();
  const taken = printed.filter((line) => line !== 'end');
  expect(taken.length).toBeGreaterThan(0);
  expect(taken.filter((round, at) => taken.indexOf(round) !== at)).toEqual([]);
});

test.each([
  ['a missing export', 'export-2'],
  ['nothing', ''],
  ['nothing, because it does not exist', undefined],
])('if exports exist and the pointer names %s, the stack does not start with an empty database', (_, named) => {
  mkdirSync(join(dir, 'export-1'), { recursive: true });
  const exports = new Exports(dir, '127.0.0.1:1', 'demo');
  const file = join(dir, 'export-1', 'export-1.overall_export_metadata');
  if (named === undefined) expect(exports.seed).toBeUndefined();
  writeFileSync(file, '');
  if (named !== undefined) writeFileSync(join(dir, 'current'), named);
  expect(() => exports.seed).toThrow(StartError);
  expect(() => exports.seed).toThrow(`${join(dir, 'current')} names no complete export`);
  writeFileSync(join(dir, 'current'), 'export-1');
  expect(exports.seed).toBe(file);
});

test('a state file that cannot be read is no reason to delete the state', () => {
  mkdirSync(dir);
  const read = () => new StateFile(dir, z.object({})).read();
  expect(read).toThrow(StartError);
  expect(read).toThrow(/cannot be read \(EISDIR\)$/);
});

test('a data directory that is a file is reported in one line', () => {
  writeFileSync(dir, '');
  for (const path of [dir, join(dir, 'below')]) {
    expect(() => openDataDir(path, { fresh: false })).toThrow(StartError);
    expect(() => openDataDir(path, { fresh: false })).toThrow(/ is not a folder\. /);
  }
});

test.each([
  ['localhost:8085', { host: 'localhost', port: 8085 }],
  ['[::1]:80', { host: '::1', port: 80 }],
])('%s is an address of Firestore', (address, target) => {
  expect(targetOf(address)).toEqual(target);
});

test.each(['localhost', '[::1]', 'localhost:', ':8085', 'localhost:0', 'localhost:70000', 'http://localhost:8085'])(
  '%s is refused as an address of Firestore',
  (address) => {
    expect(() => targetOf(address)).toThrow(StartError);
  },
);

// Every write to /dev/full fails as on a full disk.
test.runIf(existsSync('/dev/full'))('on a full disk, a stack runs without saved state and says so', () => {
  mkdirSync(dir);
  symlinkSync('/dev/full', join(dir, 'probe'));
  const reported: string[] = [];
  expect(openDataDir(dir, { fresh: false }, (line) => reported.push(line))).toBeUndefined();
  expect(reported).toEqual([expect.stringContaining('ENOSPC')]);
});

test('without a home, the jar is taken only from a folder that no other user can use', () => {
  const parent = temporaryFolder('jar');
  const folder = ownFolder(parent);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(ownFolder(parent)).toBe(folder);
  chmodSync(folder, 0o770);
  expect(() => ownFolder(parent)).toThrow(StartError);
  renameSync(folder, join(parent, 'other'));
  symlinkSync(join(parent, 'other'), folder);
  expect(() => ownFolder(parent)).toThrow(StartError);
});

test.each([
  ['empty', () => ''],
  ['a file', (parent: string) => join(parent, 'file')],
  ['below a file', (parent: string) => join(parent, 'file', 'home')],
])('with a home that is %s, the jar is in the folder for temporary files', (_, homeIn) => {
  const parent = temporaryFolder('homeless');
  writeFileSync(join(parent, 'file'), '');
  vi.stubEnv('HOME', homeIn(parent));
  vi.stubEnv('TMPDIR', parent);
  onTestFinished(() => void vi.unstubAllEnvs());
  const cache = join(ownFolder(parent), '.cache/firebase/emulators');
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'cloud-firestore-emulator-v1.2.3.jar'), '');
  expect(findFirestoreJar({})).toBe(join(cache, 'cloud-firestore-emulator-v1.2.3.jar'));
});

test.each([
  [['1.9.0', '1.19.8', '1.20.2'], 17, '1.19.8'],
  [['1.9.0', '1.19.8', '1.20.2'], 21, '1.20.2'],
  [['1.20.2'], 17, '1.20.2'],
])('of the emulators %j, Java %i gets the newest that it runs: %s', (versions, java, chosen) => {
  const cache = temporaryFolder('jars');
  const jarOf = (version: string) => join(cache, `cloud-firestore-emulator-v${version}.jar`);
  for (const version of versions) writeFileSync(jarOf(version), '');
  expect(findFirestoreJar({ FIREBASE_EMULATORS_PATH: cache }, java)).toBe(jarOf(chosen));
});

const SILENCES = ['silent', 'silent answers', 'silent connects'] as const;
test.each(SILENCES)('after the fault "%s", an open connection has no answer, and a new one works', async (fault) => {
  const echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  await listen(echo, 0);
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: portOf(echo) });
  onTestFinished(() => void echo.close());
  onTestFinished(() => proxy.stop());
  /** Opens a connection and sends five bytes. */
  const connect = () => {
    const socket = createConnection({ port: proxy.port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    socket.write('hello');
    return socket;
  };
  const open = connect();
  await once(open, 'data');
  const heard = vi.fn();
  for (const event of ['data', 'end', 'close']) open.on(event, heard);
  proxy.set(fault);
  const during = connect();
  if (fault !== 'silent connects') await once(during, 'data');
  else await expect.poll(() => proxy.sentBytes()).toBe(10);
  proxy.set(null);
  open.write('again');
  await expect.poll(() => proxy.sentBytes()).toBe(15);
  expect(String(await once(connect(), 'data'))).toBe('hello');
  expect(heard).not.toHaveBeenCalled();
});
