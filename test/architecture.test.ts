import { globSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { checkSync } from 'recheck';
import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { filesOf, LAYERS, PURE } from '../.dependency-cruiser.ts';
import { ROOT, sources } from './sources.ts';

/** Returns the packages that each function imports, directly or through files of this project. */
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

/** Returns the lines in these folders that match the pattern. */
function occurrences(folders: readonly string[], pattern: RegExp, except: readonly string[] = []): string[] {
  const files = [...sources].filter(([file]) => folders.some((folder) => isIn(folder)(file)) && !except.includes(file));
  return files.flatMap(([file, source]) =>
    source.split('\n').flatMap((line, at) => (pattern.test(line) ? `${file}:${at + 1}: ${line.trim()}` : [])),
  );
}

describe('npm run imports', () => {
  test.each(Object.entries(LAYERS))(
    'every file in %s/ belongs to a module in the list of layers, and every module in that list has a file',
    (folder, layers) => {
      const modules = layers.flat().map((module) => new RegExp(filesOf(`${folder}/${module}`)));
      const files = [...sources.keys()].filter(isIn(folder));
      expect(files.filter((file) => !modules.some((module) => module.test(file)))).toEqual([]);
      expect(modules.filter((module) => !files.some((file) => module.test(file)))).toEqual([]);
    },
  );

  test('every file in the list of pure files exists', () => {
    expect([...sources.keys()]).toEqual(expect.arrayContaining(PURE));
  });
});

test.each([
  ['stripe', ['billing', 'close-month']],
  ['@google-cloud/kms', ['crypto', 'destroy-due-keys', 'health', 'keys', 'reports', 'seal-audit', 'transit']],
])('the package %s is only in the bundles of the functions that use it', async (client, functions) => {
  const having = [...(await packagesByFunction())].filter(([, packages]) => packages.includes(client));
  expect(having.map(([name]) => name).toSorted()).toEqual(functions);
});

describe('access to time, settings and output', () => {
  test('only shared/base/clock.ts reads the time', () => {
    const pattern = /\bDate\.now\(|\bnew Date\(\s*\)|\bperformance\.timeOrigin\b/;
    expect(occurrences(['shared', 'functions', 'operator'], pattern, ['shared/base/clock.ts'])).toEqual([]);
  });

  test('only functions/compose and functions/local read environment variables', () => {
    const found = occurrences(['shared', 'functions'], /\bprocess\.env\b/);
    expect(found.filter((line) => !/^functions\/(?:compose|local)\//.test(line))).toEqual([]);
  });

  test('only the log writes to standard output', () => {
    const pattern = /\bconsole\.\w+\(|\bprocess\.std(?:out|err)\b/;
    expect(occurrences(['shared', 'functions'], pattern, ['shared/base/log.ts'])).toEqual([]);
  });
});

/** A regular expression in the source, and its file. */
interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const deployed = [...sources].filter(([file]) => /^(shared|functions|operator|client\/src)\//.test(file));
const patterns = deployed.flatMap(([file, text]) =>
  literalsOf(parseAst(stripTypeScriptTypes(text))).map((one) => ({ file, ...one })),
);

/** Returns the regular expressions in a syntax tree. */
function literalsOf(node: unknown): Omit<Pattern, 'file'>[] {
  if (typeof node !== 'object' || node === null) return [];
  if ('regex' in node && typeof node.regex === 'object' && node.regex !== null) {
    const { pattern, flags } = Object(node.regex);
    return [{ source: String(pattern), flags: String(flags) }];
  }
  return Object.values(node).flatMap(literalsOf);
}

test('the check finds the regular expressions in the source code, and reports an expression that can take non-linear time', () => {
  expect(patterns.length).toBeGreaterThan(20);
  expect(patterns.map(({ source }) => source)).toContain('^Bearer +([^\\s,]+)$');
  expect(checkSync('=+$', '').status).toBe('vulnerable');
});

test('no regular expression is built at run time', () => {
  expect(deployed.filter(([, text]) => /\bRegExp\(/.test(text)).map(([file]) => file)).toEqual([]);
});

describe('the running time of patterns', () => {
  test.each(patterns)('the regular expression in $file takes linear time: $source', ({ source, flags }) => {
    // The other checker, for lookbehinds and back references, measures times. On a slow machine, both take longer.
    expect(checkSync(source, flags, { checker: 'automaton', timeout: null })).toMatchObject({ status: 'safe' });
  });
});
