/*
 * Builds every function of functions/entry/ into a directory that can be deployed: npm run build
 *
 *   dist/<function>/             the source of one Cloud Run function
 *     package.json               has the main module, the framework, and the script for the platform's build
 *     package-lock.json          has the tested versions of the framework and its dependencies
 *     bundle.cjs                 the minified code, including modules that run on first use
 *     index.cjs                  the main module: runs bundle.cjs with the code cache, if there is one
 *     preload.cjs                the code that Node loads before the framework
 *     warm.ts                    the program with which the platform's build writes code-cache
 *   dist/source-maps/<function>/ for reading stack traces; not deployed
 */
import { globSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle } from './bundle.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

rmSync(DIST, { recursive: true, force: true });
for (const entry of globSync('functions/entry/*.ts', { cwd: ROOT })) {
  await bundle(basename(entry, '.ts'), join(ROOT, entry), DIST);
}
