import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';

/** The repository's root. */
export const ROOT = join(import.meta.dirname, '..');

const PARTS = ['functions', 'shared', 'deploy', 'emulators', 'operator', 'test', 'bench', 'examples'];

/** One import of a source file. */
export interface Import {
  /** Who imports, as a path from the root. */
  readonly from: string;
  /** What is imported: a path from the root, or a package by the name that it has in a package.json. */
  readonly to: string;
  readonly kind: 'file' | 'package' | 'builtin';
  /** Whether only types are imported, which is gone when the code runs. */
  readonly typesOnly: boolean;
}

const STATEMENT = /^(?:import|export)\s+(?<types>type\s+)?(?:[\w$*\s{},]+\sfrom\s+)?'(?<to>[^']+)'/gm;
const EXPRESSION = /\bimport\(\s*'(?<to>[^']+)'\s*\)/g;

/** The source files by their path from the root. */
export const sources = new Map<string, string>();
for await (const file of glob(`{${PARTS.join(',')}}/**/*.ts`, { cwd: ROOT })) {
  sources.set(file, readFileSync(join(ROOT, file), 'utf8'));
}
/** Every import of every source file. */
export const imports = [...sources].flatMap(([from, source]) => importsOf(from, source));

/** What is imported when the code runs, by who imports. */
const running = Map.groupBy(
  imports.filter(({ typesOnly }) => !typesOnly),
  ({ from }) => from,
);

function importsOf(from: string, source: string): Import[] {
  return [...source.matchAll(STATEMENT), ...source.matchAll(EXPRESSION)].map(({ groups }) => {
    const { to = '', types } = groups ?? {};
    const typesOnly = types !== undefined;
    if (to.startsWith('.')) return { from, to: normalize(join(dirname(from), to)), kind: 'file', typesOnly };
    if (to.startsWith('node:') || builtinModules.includes(to)) return { from, to, kind: 'builtin', typesOnly };
    const name = to
      .split('/')
      .slice(0, to.startsWith('@') ? 2 : 1)
      .join('/');
    return { from, to: name, kind: 'package', typesOnly };
  });
}

/** The packages that a file imports, itself or through others, when the code runs. */
export function packagesOf(entry: string): Set<string> {
  const packages = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string) => {
    if (done.has(file)) return;
    done.add(file);
    for (const { to, kind } of running.get(file) ?? []) {
      if (kind === 'package') packages.add(to);
      else if (kind === 'file') visit(to);
    }
  };
  visit(entry);
  return packages;
}

/** The circles among the imports of these files that are there when the code runs. */
export function circles(isStart: (file: string) => boolean): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (done.has(file)) return;
    done.add(file);
    for (const { to, kind } of running.get(file) ?? []) if (kind === 'file') visit(to, [...path, file]);
  };
  for (const file of sources.keys()) if (isStart(file)) visit(file, []);
  return found;
}
