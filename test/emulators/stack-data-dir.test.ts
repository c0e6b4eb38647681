import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { StartError } from '../../emulators/base/start-error.ts';
import { openDataDir } from '../../emulators/stack/data-dir.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let dir = '';

beforeEach(() => {
  dir = join(temporaryFolder('stack'), '.local');
});

test('only one stack at a time can use a data directory', () => {
  const first = openDataDir(dir, { fresh: false });
  expect(() => openDataDir(dir, { fresh: true })).toThrow(StartError);
  first?.unlock();
  openDataDir(dir, { fresh: false })?.unlock();
});

test('a data directory can be read only by its owner', () => {
  openDataDir(dir, { fresh: false })?.unlock();
  expect(statSync(dir).mode & 0o777).toBe(0o700);
});

test.each([
  ['a process that has ended', '2147483646'],
  ['an earlier process with the same id', String(process.pid)],
  ['no process', ''],
])('a data directory whose lock names %s can be opened, even if taking that lock over was interrupted', (_, holder) => {
  openDataDir(dir, { fresh: false })?.unlock();
  for (const left of [['lock'], ['lock', 'lock.takeover']]) {
    for (const name of left) writeFileSync(join(dir, name), holder);
    openDataDir(dir, { fresh: false })?.unlock();
    expect(readdirSync(dir)).toEqual([]);
  }
});

test('a data directory whose lock names a running process cannot be opened', () => {
  openDataDir(dir, { fresh: false })?.unlock();
  writeFileSync(join(dir, 'lock'), '1');
  expect(() => openDataDir(dir, { fresh: false })).toThrow('Process 1 uses');
});

test('a start with the option `fresh` deletes the data, and any other start keeps the data', () => {
  openDataDir(dir, { fresh: false })?.unlock();
  const file = join(dir, 'demo.json');
  writeFileSync(file, '{}');
  openDataDir(dir, { fresh: false })?.unlock();
  expect(existsSync(file)).toBe(true);
  const fresh = openDataDir(dir, { fresh: true });
  expect(existsSync(file)).toBe(false);
  expect(existsSync(fresh?.path('lock') ?? '')).toBe(true);
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
      while (Date.now() < Number(start) + 3 * at);
      if ('release' in takeLock(file)) console.log(at);
    }
    process.stdout.write('end', () => undefined);
    process.stdin.resume();`;
  const start = String(Date.now() + 1_500);
  const children = [1, 2, 3].map(() => spawn(process.execPath, ['--input-type=module', '-e', script, start, ...files]));
  const outputs = children.map(({ stdout }) => text(stdout));
  await Promise.all(
    children.map(
      ({ stdout }) =>
        new Promise<void>((resolve) => {
          stdout.on('data', (chunk) => String(chunk).includes('end') && resolve());
        }),
    ),
  );
  for (const { stdin } of children) stdin.end();
  const taken = (await Promise.all(outputs)).flatMap((output) => output.match(/\d+/g) ?? []);
  expect(taken.length).toBeGreaterThan(0);
  expect(taken.filter((round, at) => taken.indexOf(round) !== at)).toEqual([]);
});

// Every write to /dev/full fails as on a full disk.
test.runIf(existsSync('/dev/full'))('on a full disk, a stack runs without saved state and says so', () => {
  mkdirSync(dir);
  symlinkSync('/dev/full', join(dir, 'probe'));
  const reported: string[] = [];
  expect(openDataDir(dir, { fresh: false }, (line) => reported.push(line))).toBeUndefined();
  expect(reported).toEqual([expect.stringContaining('ENOSPC')]);
});
