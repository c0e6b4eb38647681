import { renderTables } from './tables.ts';

/** The pages that show something of the settings, each with what brings it up to date. */
export const PAGES: Readonly<Record<string, (page: string) => string>> = {
  'docs/deploy.md': renderTables,
  'docs/operate.md': renderTables,
};
