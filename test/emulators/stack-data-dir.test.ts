import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  first.unlock();
  openDataDir(dir, { fresh: false }).unlock();
});

test('a data directory can be read only by its owner', () => {
  openDataDir(dir, { fresh: false }).unlock();
  expect(statSync(dir).mode & 0o777).toBe(0o700);
});

test.each([
  ['a process that has ended', '2147483646'],
  ['an earlier process with the same id', String(process.pid)],
  ['no process', ''],
])('a data directory whose lock names %s can be opened', (_, holder) => {
  openDataDir(dir, { fresh: false }).unlock();
  writeFileSync(join(dir, 'lock'), holder);
  openDataDir(dir, { fresh: false }).unlock();
});

test('a data directory whose lock names a running process cannot be opened', () => {
  openDataDir(dir, { fresh: false }).unlock();
  writeFileSync(join(dir, 'lock'), '1');
  expect(() => openDataDir(dir, { fresh: false })).toThrow('Process 1 uses');
});

test('a start with the option `fresh` deletes the data, and any other start keeps the data', () => {
  openDataDir(dir, { fresh: false }).unlock();
  const file = join(dir, 'demo.json');
  writeFileSync(file, '{}');
  openDataDir(dir, { fresh: false }).unlock();
  expect(existsSync(file)).toBe(true);
  const fresh = openDataDir(dir, { fresh: true });
  expect(existsSync(file)).toBe(false);
  expect(existsSync(fresh.path('lock'))).toBe(true);
  fresh.unlock();
});
