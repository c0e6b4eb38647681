import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGES } from '../../deploy/docs.ts';
import { TABLES } from '../../deploy/tables.ts';
import { ROOT } from '../imports.ts';

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

describe.for(Object.entries(PAGES))('%s', ([page, render]) => {
  test('shows the settings as they are; else run npm run deploy:docs', () => {
    expect(read(page)).toBe(render(read(page)));
  });
});

test('every table of the settings is in the docs', () => {
  const text = Object.keys(PAGES).map(read).join();
  expect(Object.keys(TABLES).filter((name) => !text.includes(`<!-- ${name} -->\n\n|`))).toEqual([]);
});

test('the plan in the docs is a plan', () => {
  expect(read('docs/plan.md')).toContain('gcloud run deploy encryption-crypto');
});
