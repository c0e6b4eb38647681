import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { FRAMEWORK, makeManifest } from './manifest.ts';

const here = (name: string) => join(import.meta.dirname, name);
const read = (name: string): unknown => JSON.parse(readFileSync(here(name), 'utf8'));

const COMMONJS: BuildOptions = {
  format: 'cjs',
  platform: 'node',
  target: 'node24',
  define: { 'import.meta.dirname': '__dirname' },
};

/** Writes the function that `entry` starts to `dist`, in the layout of `npm run build`. */
export async function bundle(name: string, entry: string, dist: string): Promise<void> {
  const folder = join(dist, name);
  const maps = join(dist, 'source-maps', name);
  for (const path of [folder, maps]) mkdirSync(path, { recursive: true });
  await build({ ...COMMONJS, entryPoints: [here('load.ts')], outfile: join(folder, 'index.cjs') });
  const { outputFiles } = await build({
    ...COMMONJS,
    entryPoints: [entry],
    outfile: join(folder, 'bundle.cjs'),
    bundle: true,
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    // ES modules first: of CommonJS nothing can be left out.
    mainFields: ['module', 'main'],
    external: [FRAMEWORK],
    write: false,
  });
  for (const { path, contents } of outputFiles) {
    writeFileSync(join(path.endsWith('.map') ? maps : folder, basename(path)), contents);
  }
  copyFileSync(here('warm.ts'), join(folder, 'warm.ts'));
  const { manifest, lockfile } = makeManifest(name, read('../package.json'), read('../package-lock.json'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lockfile, null, 2)}\n`);
}
