import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { FRAMEWORK, makeManifest } from './manifest.ts';
import { PRELOAD } from './names.ts';

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
