import { globSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import rules, { filesOf, PURE } from '../.dependency-cruiser.ts';
import { FOLDERS, LAYERS } from '../layers.ts';
import { ROOT, sources } from './sources.ts';

const { forbidden = [], options } = rules;
const folders = Object.keys(FOLDERS).filter((folder) => [...sources.keys()].some(isIn(folder)));
const { output } = await cruise(folders, { ...options, baseDir: ROOT, ruleSet: { forbidden }, validate: true });
if (typeof output === 'string') throw new Error(output);
const { modules, summary } = output;

/** The imports that break the rule, as lines that say who imports what. */
function breaches(rule: string | undefined): string[] {
  return summary.violations
    .filter(({ rule: { name } }) => name === rule)
    .map(({ from, to, cycle }) => [from, ...(cycle?.map(({ name }) => name) ?? [to])].join(' -> '));
}

/** The files that a file imports, types included. */
function importsOf(file: string): string[] {
  return modules.find(({ source }) => source === file)?.dependencies.map(({ resolved }) => resolved) ?? [];
}

/** The packages that the code of each function imports, itself or through files of ours, by the function's name. */
async function packagesByFunction(): Promise<Map<string, string[]>> {
  const entryPoints = globSync('functions/entry/*.ts', { cwd: ROOT });
  const options = { bundle: true, packages: 'external', platform: 'node', format: 'esm' } as const;
  const { metafile } = await build({
    ...options,
    absWorkingDir: ROOT,
    entryPoints,
    outdir: 'dist',
    metafile: true,
    write: false,
  });
  return new Map(
    Object.entries(metafile.outputs).map(([file, { imports }]) => [
      basename(file, '.js'),
      imports.map(({ path }) => path),
    ]),
  );
}

function isIn(folder: string): (path: string) => boolean {
  return (path) => path.startsWith(`${folder}/`);
}

/** The files under a folder that hold what the pattern finds, as lines. */
function occurrences(folders: readonly string[], pattern: RegExp, except: readonly string[] = []): string[] {
  const files = [...sources].filter(([file]) => folders.some((folder) => isIn(folder)(file)) && !except.includes(file));
  return files.flatMap(([file, source]) =>
    source.split('\n').flatMap((line, at) => (pattern.test(line) ? `${file}:${at + 1}: ${line.trim()}` : [])),
  );
}

describe('who imports whom, types included', () => {
  test('every source file is read, with its imports of types', () => {
    expect(modules.map(({ source }) => source)).toEqual(expect.arrayContaining([...sources.keys()]));
    const types = modules.flatMap(({ dependencies }) => dependencies.flatMap((one) => one.dependencyTypes));
    expect(types).toContain('type-only');
  });

  test.each(forbidden.map(({ comment, name }) => [comment, name]))('%s', (_, name) => {
    expect(breaches(name)).toEqual([]);
  });

  test.each(Object.entries(LAYERS))(
    'every file of %s/ is in a module of a layer, and every such module has a file',
    (folder, layers) => {
      const modules = layers.flat().map((module) => new RegExp(filesOf(`${folder}/${module}`)));
      const files = [...sources.keys()].filter(isIn(folder)).filter((file) => file !== 'shared/services.ts');
      expect(files.filter((file) => !modules.some((module) => module.test(file)))).toEqual([]);
      expect(modules.filter((module) => !files.some((file) => module.test(file)))).toEqual([]);
    },
  );

  test('every file that is called pure is there', () => {
    expect([...sources.keys()]).toEqual(expect.arrayContaining(PURE));
  });
});

describe('test/shared mirrors shared', () => {
  /** The files that a test file imports, itself or through a file in its folder. */
  const reachedFrom = (test: string): string[] =>
    importsOf(test).flatMap((file) => (dirname(file) === dirname(test) ? importsOf(file) : file));
  const tests = [...sources.keys()].filter((file) => /^test\/shared\/.*\.test\.ts$/.test(file));

  test('each folder of shared has one in test/shared, and there is no other', () => {
    const foldersOf = (root: string) =>
      new Set([...sources.keys()].filter(isIn(root)).map((file) => dirname(file.slice(root.length + 1))));
    expect([...foldersOf('test/shared')].sort()).toEqual([...foldersOf('shared')].sort());
  });

  test('each test file tests a file of the folder of shared that has the same name', () => {
    const strays = tests.filter((test) => !reachedFrom(test).some((file) => `test/${dirname(file)}` === dirname(test)));
    expect(tests.length).toBeGreaterThan(50);
    expect(strays).toEqual([]);
  });
});

test.each([
  ['stripe', ['billing', 'close-month']],
  ['@google-cloud/kms', ['crypto', 'destroy-due-keys', 'health', 'keys', 'reports', 'seal-audit', 'transit']],
])('%s is in the bundles of the functions that use it, and in no other', async (client, functions) => {
  const having = [...(await packagesByFunction())].filter(([, packages]) => packages.includes(client));
  expect(having.map(([name]) => name).toSorted()).toEqual(functions);
});

describe('one source of time, of settings and of output', () => {
  test('only shared/base/clock.ts reads the time', () => {
    const pattern = /\bDate\.now\(|\bnew Date\(\s*\)|\bperformance\.timeOrigin\b/;
    expect(occurrences(['shared', 'functions', 'operator'], pattern, ['shared/base/clock.ts'])).toEqual([]);
  });

  test('the environment is read where functions are composed, and nowhere else', () => {
    const found = occurrences(['shared', 'functions'], /\bprocess\.env\b/);
    expect(found.filter((line) => !/^functions\/(?:compose|local)\//.test(line))).toEqual([]);
  });

  test('only the log writes to standard output', () => {
    const pattern = /\bconsole\.\w+\(|\bprocess\.std(?:out|err)\b/;
    expect(occurrences(['shared', 'functions'], pattern, ['shared/base/log.ts'])).toEqual([]);
  });
});
