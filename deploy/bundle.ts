import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { z } from 'zod';
import { PRELOAD } from './names.ts';

/** The only package that is not bundled: the platform starts it from node_modules. */
const FRAMEWORK = '@google-cloud/functions-framework';

const dependencies = z.record(z.string(), z.string()).optional();
const lockfile = z.looseObject({
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), z.looseObject({ version: z.string().optional(), dependencies })),
});

const project = z.object({ overrides: z.record(z.string(), z.unknown()) });

type Packages = z.output<typeof lockfile>['packages'];

/**
 * Returns the package.json and the package-lock.json of a deployed function. They pin the versions in the repository's
 * lockfile, which are tested.
 */
function makeManifest(name: string, repositoryManifest: unknown, repositoryLockfile: unknown) {
  const { overrides } = project.parse(repositoryManifest);
  const { packages, lockfileVersion } = lockfile.parse(repositoryLockfile);
  const needed = closure(packages, FRAMEWORK);
  const root = {
    name,
    private: true,
    dependencies: { [FRAMEWORK]: packages[`node_modules/${FRAMEWORK}`]?.version },
    engines: { node: '24' },
  };
  return {
    manifest: {
      ...root,
      overrides: Object.fromEntries(Object.entries(overrides).filter(([one]) => `node_modules/${one}` in needed)),
      type: 'module',
      main: 'index.cjs',
      scripts: { 'gcp-build': `node warm.ts ${name}` },
    },
    lockfile: { name, lockfileVersion, requires: true, packages: { '': root, ...needed } },
  };
}

/** Returns the entries of a package and its transitive dependencies, by path. */
function closure(packages: Packages, name: string): Packages {
  const found: Packages = {};
  const add = (wanted: string, from: string): void => {
    const path = resolve(packages, wanted, from);
    const entry = packages[path];
    if (entry === undefined || path in found) return;
    found[path] = entry;
    for (const next of Object.keys(entry.dependencies ?? {})) add(next, path);
  };
  add(name, '');
  return found;
}

/**
 * Returns the path of the package that the package at `from` imports under the name `wanted`. The nearest node_modules
 * that contains it is used.
 */
function resolve(packages: Packages, wanted: string, from: string): string {
  const here = from === '' ? `node_modules/${wanted}` : `${from}/node_modules/${wanted}`;
  if (here in packages || from === '') return here;
  const outside = from.lastIndexOf('/node_modules/');
  return resolve(packages, wanted, outside < 0 ? '' : from.slice(0, outside));
}

const COMMONJS: BuildOptions = {
  format: 'cjs',
  platform: 'node',
  target: 'node24',
  define: { 'import.meta.dirname': '__dirname' },
};

/** Bundles the function with the entry point `entry`, and writes its files to `dist`. build.ts lists these files. */
export async function bundle(name: string, entry: string, dist: string): Promise<void> {
  const folder = join(dist, name);
  const maps = join(dist, 'source-maps', name);
  for (const path of [folder, maps]) mkdirSync(path, { recursive: true });
  await build({ ...COMMONJS, entryPoints: [pathOf('load.ts')], outfile: join(folder, 'index.cjs') });
  await build({
    ...COMMONJS,
    entryPoints: [pathOf('../functions/preload/all.ts')],
    outfile: join(folder, PRELOAD),
    bundle: true,
  });
  const { outputFiles } = await build({
    ...COMMONJS,
    entryPoints: [entry],
    outfile: join(folder, 'bundle.cjs'),
    bundle: true,
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    // Prefer ES modules: esbuild cannot remove unused code from CommonJS.
    mainFields: ['module', 'main'],
    external: [FRAMEWORK],
    write: false,
  });
  for (const { path, contents } of outputFiles) {
    writeFileSync(join(path.endsWith('.map') ? maps : folder, basename(path)), contents);
  }
  copyFileSync(pathOf('warm.ts'), join(folder, 'warm.ts'));
  const { manifest, lockfile } = makeManifest(name, readJson('../package.json'), readJson('../package-lock.json'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lockfile, null, 2)}\n`);
}

function pathOf(name: string): string {
  return join(import.meta.dirname, name);
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(pathOf(name), 'utf8'));
}
