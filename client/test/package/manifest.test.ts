import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../../test/sources.ts';

const run = promisify(execFile);
let folder: string;
let packed: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packed-'));
  await run('npm', ['pack', '-w', 'client', '--pack-destination', folder], { cwd: ROOT });
  packed = join(folder, 'encryption-service-client-1.0.0.tgz');
});
afterAll(() => rm(folder, { recursive: true }));

test('publint finds no problem in the package', async () => {
  const { buffer } = Uint8Array.from(await readFile(packed));
  const { messages } = await publint({ pack: { tarball: buffer }, strict: true });
  expect(messages).toEqual([]);
});

test('attw (“Are the types wrong?”) finds no problem in the package’s types', async () => {
  const attw = join(ROOT, 'node_modules/.bin/attw');
  const { stdout } = await run(attw, [packed, '--profile', 'esm-only', '--format', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({ analysis: { types: { kind: 'included' } } });
});
