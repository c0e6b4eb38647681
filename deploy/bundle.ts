/*
 * npm run build: writes each function of functions/entry/ as a directory that can be deployed as it is.
 *
 *   dist/<function>/             the source of one Cloud Run function
 *     package.json               its main, the framework that starts it, and what the platform's build runs
 *     package-lock.json          the framework and what it needs, in the versions that are tested
 *     index.mjs, *-<hash>.mjs    the code; what is loaded at its first use is in files of its own
 *   dist/source-maps/<function>/ what a stack trace is read with; not deployed
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { FRAMEWORK, makeManifest } from './manifest.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

/** What CommonJS packages take for granted. */
const COMMONJS = `import { createRequire as commonjs } from 'node:module';
const require = commonjs(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename;`;

const repositoryLockfile: unknown = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));

rmSync(DIST, { recursive: true, force: true });
for (const entry of globSync('functions/entry/*.ts', { cwd: ROOT })) await bundle(basename(entry, '.ts'), entry);

async function bundle(name: string, entry: string): Promise<void> {
  const folder = join(DIST, name);
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
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
  const maps = join(DIST, 'source-maps', name);
  for (const path of [folder, maps]) mkdirSync(path, { recursive: true });
  for (const { path, contents } of outputFiles) {
    writeFileSync(join(path.endsWith('.map') ? maps : folder, basename(path)), contents);
  }
  const { manifest, lockfile } = makeManifest(name, repositoryLockfile);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lockfile, null, 2)}\n`);
}
