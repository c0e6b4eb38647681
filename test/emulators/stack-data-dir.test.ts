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

test('a directory is for one stack at a time', () => {
  const first = openDataDir(dir, { fresh: false });
  expect(() => openDataDir(dir, { fresh: true })).toThrow(StartError);
  first.unlock();
  openDataDir(dir, { fresh: false }).unlock();
});

test('nobody else may read it', () => {
  openDataDir(dir, { fresh: false }).unlock();
  expect(statSync(dir).mode & 0o777).toBe(0o700);
});

test.each([
  ['a process that is gone', '2147483646'],
  ['this process before it was started again', String(process.pid)],
  ['nobody', ''],
])('a lock that names %s is taken', (_who, holder) => {
  openDataDir(dir, { fresh: false }).unlock();
  writeFileSync(join(dir, 'lock'), holder);
  openDataDir(dir, { fresh: false }).unlock();
});

test('a lock of a process that runs is respected', () => {
  openDataDir(dir, { fresh: false }).unlock();
  writeFileSync(join(dir, 'lock'), '1');
  expect(() => openDataDir(dir, { fresh: false })).toThrow('Process 1 uses');
});

test('fresh forgets everything, otherwise it is kept', () => {
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
