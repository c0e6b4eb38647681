import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ROOT } from './sources.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The format of licenses in old packages, which list alternatives instead of an SPDX expression. */
const oldLicenses = z
  .array(z.object({ type: z.string() }))
  .transform((choices) => `(${choices.map(({ type }) => type).join(' OR ')})`);
const locked = z.object({
  license: z.union([z.string(), oldLicenses]).optional(),
  integrity: z.string().optional(),
  link: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
  dev: z.boolean().default(false),
  devOptional: z.boolean().default(false),
  optional: z.boolean().default(false),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
});
const { packages } = z.object({ packages: z.record(z.string(), locked) }).parse(JSON.parse(read('package-lock.json')));
const listing = z.record(z.string(), z.string());
const manifest = z.object({
  scripts: listing,
  dependencies: listing,
  devDependencies: listing,
  overrides: z.record(z.string(), listing).default({}),
});
const project = manifest.parse(JSON.parse(read('package.json')));
const client = manifest.parse(JSON.parse(read('client/package.json')));

/** Every installed package, with its path. */
const installed = Object.entries(packages)
  .filter(([path]) => path.includes('node_modules/'))
  .map(([path, one]) => ({ path, ...one }));

test('the lockfile has the packages of every platform, each with its hash', () => {
  const names = new Set(installed.map(({ path }) => nameOf(path)));
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !names.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
  expect(installed.filter(({ link, integrity }) => !link && integrity === undefined).map(({ path }) => path)).toEqual(
    [],
  );
});

/** Returns these packages and all their run-time dependencies, as Node resolves them for code at the path `where`. */
function neededBy(names: readonly string[], where: string, found = new Map<string, z.output<typeof locked>>()) {
  for (const name of names) {
    const path = lookupPaths(name, where).find((candidate) => packages[candidate] !== undefined) ?? '';
    const one = packages[path];
    if (one === undefined || found.has(path) || one.dev || one.devOptional || one.optional) continue;
    found.set(path, one);
    neededBy(Object.keys({ ...one.dependencies, ...one.peerDependencies }), path, found);
  }
  return [...found].map(([path, one]) => ({ path, ...one }));
}

/** Returns the paths where Node looks for a package that code at `where` imports, the nearest first. */
function lookupPaths(name: string, where: string): string[] {
  const here = `${where === '' ? '' : `${where}/`}node_modules/${name}`;
  const above = where.slice(0, Math.max(0, where.lastIndexOf('/node_modules/')));
  return where === '' ? [here] : [here, ...lookupPaths(name, above)];
}

const deployed = neededBy(Object.keys(project.dependencies), '');
const ofClient = neededBy(Object.keys(client.dependencies), 'client');

/** Licenses that are compatible with Apache-2.0. */
const COMPATIBLE = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'CC-BY-3.0',
  'BlueOak-1.0.0',
];

test.each([
  ['deployed', deployed],
  ['client', ofClient],
])('every %s dependency has a license that is compatible with Apache-2.0', (_, some) => {
  const others = some.filter(({ license = 'none' }) =>
    license
      .replace(/^\(|\)$/g, '')
      .split(/ (?:AND|OR) /)
      .some((one) => !COMPATIBLE.includes(one)),
  );
  expect(some.length).toBeGreaterThan(3);
  expect(others.map(({ path, license }) => `${path}: ${license}`)).toEqual([]);
});

test('two commands at once in a new clone install the packages once, with the development packages', async () => {
  const folder = temporaryFolder('clone');
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  // It replaces npm and node: while two installations overlap, the second one fails.
  const npm = `#!/bin/sh
[ "$1" = ci ] || exit 0
mkdir busy || exit 1
echo "$*" >> installed
sleep 0.3
mkdir -p node_modules && touch -d '+1 day' node_modules/.package-lock.json
rmdir busy`;
  for (const name of ['npm', 'node']) writeFileSync(join(folder, name), npm, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}`, NODE_ENV: 'production' };
  const setUp = () => promisify(execFile)('sh', ['-c', project.scripts.setup ?? ''], { cwd: folder, env });
  await Promise.all([setUp(), setUp()]);
  expect(readFileSync(join(folder, 'installed'), 'utf8')).toMatch(/^ci --include=dev [^\n]*\n$/);
});

test('the Node that npm installs is on the path of the scripts, even if npm does not link it', () => {
  const folder = temporaryFolder('clone');
  const installed = `node-${process.platform}-${process.arch}/bin/node`;
  mkdirSync(join(folder, 'node_modules', dirname(installed)), { recursive: true });
  writeFileSync(join(folder, 'node_modules', installed), '');
  execFileSync(process.execPath, [join(ROOT, 'emulators/require-node.mjs')], { cwd: folder });
  expect(readlinkSync(join(folder, 'node_modules/.bin/node'))).toBe(`../${installed}`);
});

test('install scripts do not run, and the supply chain page lists each package that has an install script', () => {
  expect(project.scripts.setup).toContain('--ignore-scripts');
  const withScript = installed.filter(({ hasInstallScript }) => hasInstallScript);
  const names = [...new Set(withScript.map(({ path }) => nameOf(path)))];
  expect(rows('Install scripts').map(([name]) => name)).toEqual(expect.arrayContaining(names));
  expect(rows('Install scripts')).toHaveLength(names.length);
});

test('package.json has at most 21 scripts, and no pre or post scripts', () => {
  const names = Object.keys(project.scripts);
  expect(names.length).toBeLessThanOrEqual(21);
  expect(names.filter((name) => /^(?:pre|post)/.test(name))).toEqual([]);
});

test('the versions of dependencies are exact', () => {
  const { dependencies, devDependencies, overrides } = project;
  const listings = [dependencies, devDependencies, client.dependencies, client.devDependencies];
  const versions = [...listings, ...Object.values(overrides)].flatMap((some) => Object.values(some));
  expect(versions.filter((version) => !/^(?:npm:.+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
});

/** Returns the cells of the table under a heading of the supply chain page, without the table’s header row. */
function rows(heading: string): string[][] {
  const [, section = ''] = read('docs/supply-chain.md').split(`## ${heading}\n`);
  const lines = (section.split(/\n#+ /)[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
      .slice(1, -1),
  );
}

function nameOf(path: string): string {
  return path.split('node_modules/').at(-1) ?? '';
}
