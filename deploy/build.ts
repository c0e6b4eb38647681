/*
 * Builds every function of functions/entry/ into a directory that can be deployed: npm run build
 *
 *   dist/<function>/             the source of one Cloud Run function
 *     package.json               its main, the framework that starts it, and what the platform's build runs
 *     package-lock.json          the framework and what it needs, in the versions that are tested
 *     bundle.cjs                 the code, minified; what is loaded on first use is in it, and runs then
 *     index.cjs                  the main module: runs bundle.cjs with the code cache, if there is one
 *     preload.cjs                what Node loads before the framework
 *     warm.ts                    what the platform's build runs to write code-cache
 *   dist/source-maps/<function>/ what a stack trace is read with; not deployed
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
