import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDERS } from '../.dependency-cruiser.ts';

/** The repository's root. */
export const ROOT = join(import.meta.dirname, '..');

/** The source files and tests, by their path from the root, without the case files beside the routes. */
export const sources = new Map<string, string>();
for await (const file of glob(`{${Object.keys(FOLDERS).join(',')}}/**/*.{ts,tsx}`, {
  cwd: ROOT,
  exclude: ['**/node_modules/**', '**/dist/**', 'functions/**/*.test.ts'],
})) {
  sources.set(file, readFileSync(join(ROOT, file), 'utf8'));
}
