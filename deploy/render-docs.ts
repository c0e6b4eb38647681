/*
 * Writes what the docs show of the settings: npm run deploy:docs
 *
 * The tables of docs/deploy.md and docs/operate.md. The plan of a deployment is printed: npm run deploy -- --plan
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from './docs.ts';

const ROOT = join(import.meta.dirname, '..');

for (const [page, render] of Object.entries(PAGES)) {
  const file = join(ROOT, page);
  writeFileSync(file, render(readFileSync(file, 'utf8')));
}
