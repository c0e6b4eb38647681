import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeTenant } from '../../../test/support/tenant.ts';
import { buildDistribution } from '../../build/distribution.ts';
import { VERSION } from '../../src/api/generated.ts';

const run = promisify(execFile);
const age = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'age'))
  .find(existsSync);
const isLinuxX64 = process.platform === 'linux' && process.arch === 'x64';

describe.skipIf(!isLinuxX64)('the executable for Linux x64, without Node (skipped on other platforms)', () => {
  let folder: string;
  let bin: string;
  let service: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'esk-executable-'));
    await buildDistribution(folder, ['linux-x64']);
    bin = join(folder, 'bin');
    await mkdir(bin);
    await link(join(folder, 'esk-linux-x64'), join(bin, 'esk'));
    await symlink('esk', join(bin, 'age-plugin-esk'));
    const tenant = await makeTenant(inject('stack'));
    await tenant.createKey('software', 'backups');
    service = { ESK_URL: tenant.api.stack.baseUrl, ESK_API_KEY: tenant.api.token ?? '' };
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs a program from `bin` with a search path that contains no other programs. */
  const runIsolated = async (name: string, args: readonly string[], env: Record<string, string> = {}) => {
    const home = await mkdtemp(join(folder, 'home-'));
    return run(join(bin, name), args, { cwd: home, env: { PATH: '/nonexistent', HOME: home, ...env } });
  };

  test('the executable prints its version and its help, and no warning that Node ignores its code cache', async () => {
    expect(await runIsolated('esk', ['--version'])).toEqual({ stdout: `${VERSION}\n`, stderr: '' });
    const usage = expect.stringMatching(/^Usage: esk/);
    expect(await runIsolated('esk', ['--help'])).toEqual({ stdout: usage, stderr: '' });
  });

  test('the executable acts as the age plugin if it is started through a symbolic or hard link with the plugin’s name', async () => {
    await link(join(bin, 'esk'), join(bin, 'age-plugin-esk-hard'));
    const help = { stdout: expect.stringContaining('AGE-PLUGIN-ESK-1') };
    for (const name of ['age-plugin-esk', 'age-plugin-esk-hard'])
      expect(await runIsolated(name, ['--help'])).toMatchObject(help);
  });

  test('the executable encrypts and decrypts a file', async () => {
    const [plain, sealed, opened] = [join(folder, 'plain'), join(folder, 'sealed'), join(folder, 'opened')];
    const content = randomBytes(300_000);
    await writeFile(plain, content);
    await runIsolated('esk', ['encrypt', '--key', 'backups', '-o', sealed, plain], service);
    await runIsolated('esk', ['decrypt', '-o', opened, sealed], service);
    expect((await readFile(opened)).equals(content)).toBe(true);
  });

  test.skipIf(age === undefined)('age can start the executable as its plugin (skipped if age is missing)', async () => {
    const { stdout } = await runIsolated('esk', ['keys', 'recipient', 'backups'], service);
    const sealed = join(folder, 'by-age');
    const env = { PATH: bin, HOME: folder, ...service };
    await writeFile(join(folder, 'note'), 'for age');
    await run(String(age), ['-r', stdout.trim(), '-o', sealed, join(folder, 'note')], { env });
    expect((await run(String(age), ['-d', '-j', 'esk', sealed], { env })).stdout).toBe('for age');
  });

  test('two builds of one commit are the same bytes', async () => {
    const again = join(folder, 'again');
    await buildDistribution(again, ['linux-x64']);
    const sums = await readFile(join(folder, 'SHA256SUMS'), 'utf8');
    expect(await readFile(join(again, 'SHA256SUMS'), 'utf8')).toBe(sums);
  });

  test('the archive contains the executable and the licenses of Node and of every bundled package', async () => {
    const unpacked = join(folder, 'unpacked');
    await mkdir(unpacked);
    await run('tar', ['-xzf', join(folder, 'esk-linux-x64.tar.gz'), '-C', unpacked]);
    const inside = join(unpacked, 'esk-linux-x64');
    const text = (name: string) => readFile(join(inside, name), 'utf8');
    expect((await readFile(join(inside, 'esk'))).equals(await readFile(join(folder, 'esk-linux-x64')))).toBe(true);
    expect(await text('LICENSE')).toContain('Apache License');
    expect(await text('LICENSE.node')).toContain('Node.js is licensed for use as follows');
    const { components } = JSON.parse(await text('bill-of-materials.cdx.json'));
    const libraries = components.filter(({ type }: { type: string }) => type === 'library');
    expect(libraries.length).toBeGreaterThan(3);
    const licenses = await text('LICENSE.packages');
    for (const { name, version } of libraries) expect(licenses).toContain(`${name} ${version} (`);
  });

  test('the distribution contains a checksum, man pages and completion scripts', async () => {
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder });
    expect(stdout).toBe('esk-linux-x64: OK\nesk-linux-x64.tar.gz: OK\nesk-linux-x64.cdx.json: OK\n');
    expect((await readdir(join(folder, 'man'))).toSorted()).toEqual(['age-plugin-esk.1', 'esk.1']);
    expect((await readdir(join(folder, 'completion'))).toSorted()).toEqual(['_esk', 'esk', 'esk.fish']);
  });
});
