import { readDocument } from './reference/document.ts';
import { renderPage } from './reference/page.ts';
import { referenceOf } from './reference/reference.ts';
import { renderTables } from './tables.ts';

/**
 * The generated files, each with the function that renders it. Some pages are generated completely. In others, only the
 * tables are generated. The sources are the settings and the OpenAPI document.
 */
export const PAGES: Readonly<Record<string, (page: string) => string>> = {
  'console/src/pages/reference/reference.json': () => `${JSON.stringify(referenceOf(readDocument()), null, 2)}\n`,
  'docs/api.md': () => renderPage(referenceOf(readDocument())),
  'docs/billing.md': renderTables,
  'docs/cost.md': renderTables,
  'docs/deploy.md': renderTables,
  'docs/operate.md': renderTables,
  'docs/request.md': renderTables,
  'docs/scale.md': renderTables,
  'docs/security.md': renderTables,
  'docs/settings.md': renderTables,
};
