import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPrices } from '../bench/cost/prices.ts';
import { showCosts } from '../bench/cost/table.ts';
import { USAGE } from '../emulators/stack/flags.ts';
import { ROOT, sources } from './sources.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'bench/RESULTS.md',
  'client/README.md',
  ...globSync('emulators/**/README.md', { cwd: ROOT }),
  ...globSync('docs/**/*.md', { cwd: ROOT }),
];
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Every first group of the pattern, once, in order of the alphabet. */
function all(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))].sort();
}

/** The part of a page under a heading of the second level. */
function section(page: string, heading: string): string {
  const [, , after = ''] = page.split(new RegExp(`^(## ${heading})$`, 'm'));
  return after.split(/^## /m)[0] ?? '';
}

/** The anchors that GitHub gives to a page's headings. */
function anchors(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.for(pages)('%s', (page) => {
  const links = all(read(page), /\]\((?!https?:)([^)\s]+)\)/g);

  test('every relative link leads to a file, and to a heading of it where it names one', () => {
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchors(read(target)).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  test('it is linked from the README, if it is not the README', () => {
    if (page !== 'README.md') expect(read('README.md')).toContain(`(${page})`);
    expect(links.length).toBeGreaterThan(0);
  });
});

test('the README explains every environment variable of the configuration, and no other', () => {
  const known = all(read('shared/config.ts'), /^ {2}([A-Z][A-Z0-9_]*): /gm);
  expect(known).toContain('K_SERVICE');
  expect(all(section(read('README.md'), 'Configuration'), /^\| `([^`]+)` \|/gm)).toEqual(known);
});

test('the README explains every flag of the local stack, and no other', () => {
  const flags = all(USAGE, /^ {2}(--[a-z-]+)/gm).filter((flag) => flag !== '--help');
  expect(all(section(read('README.md'), 'Run it'), /^\| `(--[a-z-]+)/gm)).toEqual(flags);
});

test('the data model describes every collection, and no other', () => {
  const shared = [...sources].flatMap(([path, source]) => (path.startsWith('shared/') ? source : []));
  const declared = all(shared.join('\n'), /[cC]ollection\(\s*'([^']+)'/g);
  expect(declared).toContain('keys');
  const table = section(read('docs/data-model.md'), 'Collections').split('###')[0] ?? '';
  expect(all(table, /^\| `([^`]+)` \|/gm)).toEqual(declared);
});

test('the results have every attack of `npm run fairness` in both tables, and no other', () => {
  const attacks = globSync('bench/fairness/attacks/*.ts', { cwd: ROOT }).map(read).join('\n');
  const names = all(attacks, /^ {2}name: '([^']+)'/gm);
  expect(names.length).toBeGreaterThan(10);
  const [, others = '', sent = ''] = section(read('bench/RESULTS.md'), 'Fairness').split(/^\| attack \|/m);
  for (const table of [others, sent]) expect(all(table, /^\| ([^|]+) \|/gm)).toEqual(['---', ...names]);
});

test('the performance page charges what it says that operations take at the prices that it has', () => {
  const page = read('docs/performance.md');
  const [, table = ''] = /<!-- npm run bench:cost -->\n\n([\s\S]*?)\n<!-- end -->/.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \| `(\w+)` \|((?: [\d.]+ \|){5})/gm)];
  expect(rows).toHaveLength(21);
  const taken = rows.map(([, operation = '', tier = '', figures = '']) => {
    const [sideBySide = 0, reads = 0, writes = 0, kmsCalls = 0, loggedBytes = 0] = figures.split('|').map(Number);
    return { operation, tier, sideBySide, reads, writes, kmsCalls, loggedBytes };
  });
  expect(table).toBe(showCosts(taken, readPrices(page)));
});
