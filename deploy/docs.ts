import { renderTables } from './tables.ts';

/** The pages with tables of the settings, and what renders each. */
export const PAGES: Readonly<Record<string, (page: string) => string>> = {
  'docs/billing.md': renderTables,
  'docs/deploy.md': renderTables,
  'docs/operate.md': renderTables,
  'docs/request.md': renderTables,
  'docs/security.md': renderTables,
};
