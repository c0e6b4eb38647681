/*
 * Writes the OpenAPI document, the API reference and the generated tables of the docs: npm run deploy:docs
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeEveryRoute } from '../functions/routes.ts';
import { DOCUMENT, renderDocument } from './reference/document.ts';

const ROOT = join(import.meta.dirname, '..');

const everything = { identity: true, billing: true, transit: true, sealing: true };
writeFileSync(DOCUMENT, renderDocument(await describeEveryRoute(everything)));
// The pages are rendered from the document.
const { PAGES } = await import('./docs.ts');
for (const [page, render] of Object.entries(PAGES)) {
  const file = join(ROOT, page);
  writeFileSync(file, render(existsSync(file) ? readFileSync(file, 'utf8') : ''));
}
