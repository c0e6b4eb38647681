/*
 * Writes the generated tables of the docs and the API reference: npm run deploy:docs
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from './docs.ts';

const ROOT = join(import.meta.dirname, '..');

for (const [page, render] of Object.entries(PAGES)) {
  const file = join(ROOT, page);
  writeFileSync(file, render(existsSync(file) ? readFileSync(file, 'utf8') : ''));
}
