import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ROOT } from './imports.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const locked = z.object({
  license: z.string().optional(),
  hasInstallScript: z.boolean().default(false),
  dev: z.boolean().default(false),
  devOptional: z.boolean().default(false),
  optional: z.boolean().default(false),
});
const { packages } = z.object({ packages: z.record(z.string(), locked) }).parse(JSON.parse(read('package-lock.json')));
const listing = z.record(z.string(), z.string());
const project = z
  .object({
    scripts: listing,
    dependencies: listing,
    devDependencies: listing,
    overrides: z.record(z.string(), listing),
  })
  .parse(JSON.parse(read('package.json')));

/** Every installed package by its path, and whether it is deployed. */
const installed = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, one]) => ({ path, isDeployed: !one.dev && !one.devOptional && !one.optional, ...one }));
const deployed = installed.filter(({ isDeployed }) => isDeployed);

/** Licences that a work under Apache-2.0 may be made with. */
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

describe('what is deployed', () => {
  test('has a licence that goes together with ours', () => {
    const others = deployed.filter(({ license = 'none' }) =>
      license
        .replace(/^\(|\)$/g, '')
        .split(/ (?:AND|OR) /)
        .some((one) => !COMPATIBLE.includes(one)),
    );
    expect(others.map(({ path, license }) => `${path}: ${license}`)).toEqual([]);
  });

  test('is as many packages, and about as large, as the README says', () => {
    const [, count, megabytes] = /(\d+) packages, some (\d+) MB/.exec(read('README.md')) ?? [];
    const bytes = deployed.flatMap(({ path }) => filesOf(path)).reduce((sum, file) => sum + statSync(file).size, 0);
    expect(Number(count)).toBe(deployed.length);
    expect(Math.abs(bytes / 1e6 - Number(megabytes))).toBeLessThan(8);
  });
});

test('install scripts are not run, and the page says of each package that has one why not', () => {
  expect(project.scripts.setup).toContain('--ignore-scripts');
  const names = installed.filter(({ hasInstallScript }) => hasInstallScript).map(({ path }) => nameOf(path));
  expect(rows('Install scripts').map(([name]) => name)).toEqual(expect.arrayContaining(names));
  expect(rows('Install scripts')).toHaveLength(names.length);
});

test.each([
  ['What the service runs on', 'dependencies'],
  ['What it is developed with', 'devDependencies'],
] as const)('the page lists under “%s” all %s with their licences, and no other', (heading, kind) => {
  const expected = Object.keys(project[kind]).map((name) => [name, packages[`node_modules/${name}`]?.license]);
  expect(rows(heading).map(([name, license]) => [name, license])).toEqual(expected);
});

test('the page says of each package that is put in another’s place why', () => {
  const expected = Object.entries(project.overrides).flatMap(([parent, over]) =>
    Object.keys(over).map((name) => `${name} in ${parent}`),
  );
  const said = rows('Known vulnerabilities').map(([name, parent]) => `${name} in ${parent?.split(',')[0]}`);
  expect(said.toSorted()).toEqual(expected.toSorted());
});

test('versions are exact', () => {
  const { dependencies, devDependencies, overrides } = project;
  const versions = [dependencies, devDependencies, ...Object.values(overrides)].flatMap((some) => Object.values(some));
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

/** The cells of the table under a heading of the page, without its head. */
function rows(heading: string): string[][] {
  const [, section = ''] = read('docs/dependencies.md').split(`## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
      .slice(1, -1),
  );
}

/** The files of a package, without those of packages inside it. */
function filesOf(path: string): string[] {
  const files = globSync('**', { cwd: join(ROOT, path) }).filter((file) => !file.includes('node_modules'));
  return files.map((file) => join(ROOT, path, file)).filter((file) => statSync(file).isFile());
}

function nameOf(path: string): string {
  return path.split('node_modules/').at(-1) ?? '';
}
