/*
 * Writes the generated tables of the docs: npm run deploy:docs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from './docs.ts';

const ROOT = join(import.meta.dirname, '..');

for (const [page, render] of Object.entries(PAGES)) {
  const file = join(ROOT, page);
  writeFileSync(file, render(readFileSync(file, 'utf8')));
}
