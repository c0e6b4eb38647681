import { z } from 'zod';

/** The only package that is not bundled: the platform starts it from node_modules. */
export const FRAMEWORK = '@google-cloud/functions-framework';

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
export function makeManifest(name: string, repositoryManifest: unknown, repositoryLockfile: unknown) {
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
