import { readDocument } from './reference/document.ts';
import { renderPages } from './reference/pages.ts';
import { referenceOf } from './reference/reference.ts';
import { renderTables } from './tables.ts';

/**
 * The generated files, each with the function that renders it. Some pages are generated completely. In others, only the
 * tables are generated. The sources are the settings and the OpenAPI document.
 */
export const PAGES: Readonly<Record<string, (page: string) => string>> = {
  ...Object.fromEntries([...renderPages(referenceOf(readDocument()))].map(([path, text]) => [path, () => text])),
  'docs/billing.md': renderTables,
  'docs/cost.md': renderTables,
  'docs/deploy.md': renderTables,
  'docs/limits.md': renderTables,
  'docs/operate.md': renderTables,
  'docs/reliability.md': renderTables,
  'docs/request.md': renderTables,
  'docs/restore.md': renderTables,
  'docs/scale.md': renderTables,
  'docs/security.md': renderTables,
  'docs/settings.md': renderTables,
  'docs/troubleshooting.md': renderTables,
};
