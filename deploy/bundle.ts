import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { FRAMEWORK, makeManifest } from './manifest.ts';

const LOCKFILE = join(import.meta.dirname, '../package-lock.json');

/** What CommonJS packages take for granted. */
const COMMONJS = `import { createRequire as commonjs } from 'node:module';
const require = commonjs(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename;`;

/** Writes the function that `entry` starts to `dist`, in the layout of `npm run build`. */
export async function bundle(name: string, entry: string, dist: string): Promise<void> {
  const folder = join(dist, name);
  const { outputFiles } = await build({
    entryPoints: { index: entry },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    platform: 'node',
    target: 'node24',
    // ES modules first: of CommonJS nothing can be left out.
    mainFields: ['module', 'main'],
    external: [FRAMEWORK],
    banner: { js: COMMONJS },
    write: false,
  });
  const maps = join(dist, 'source-maps', name);
  for (const path of [folder, maps]) mkdirSync(path, { recursive: true });
  for (const { path, contents } of outputFiles) {
    writeFileSync(join(path.endsWith('.map') ? maps : folder, basename(path)), contents);
  }
  copyFileSync(join(import.meta.dirname, 'warm.ts'), join(folder, 'warm.ts'));
  const { manifest, lockfile } = makeManifest(name, JSON.parse(readFileSync(LOCKFILE, 'utf8')));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lockfile, null, 2)}\n`);
}
