import { readDocument } from './reference/document.ts';
import { renderPage } from './reference/page.ts';
import { referenceOf } from './reference/reference.ts';
import { renderTables } from './tables.ts';

/** The files that are made from the settings or from the OpenAPI document, as a whole or only their tables, and what renders each. */
export const PAGES: Readonly<Record<string, (page: string) => string>> = {
  'console/src/pages/reference/reference.json': () => `${JSON.stringify(referenceOf(readDocument()), null, 2)}\n`,
  'docs/api.md': () => renderPage(referenceOf(readDocument())),
  'docs/billing.md': renderTables,
  'docs/deploy.md': renderTables,
  'docs/operate.md': renderTables,
  'docs/request.md': renderTables,
  'docs/security.md': renderTables,
  'docs/settings.md': renderTables,
};
