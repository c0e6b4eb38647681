import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
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

/** The anchors that GitHub gives to a page's headings, and those that the page sets itself. */
function anchors(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...all(page, /<a id="([^"]+)">/g)];
}

describe.for(pages)('%s', (page) => {
  const links = all(read(page), /\]\((?!https?:)([^)\s]+)\)/g);

  test('every relative link points to an existing file, and its anchor to an existing heading', () => {
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

test('the README has at most 900 words', () => {
  expect(read('README.md').match(/\S+/g)?.length).toBeLessThanOrEqual(900);
});

test('every folder that the architecture figure names exists', () => {
  const named = all(read('docs/architecture.svg'), /class="folder"[^>]*>([^<]+)</g);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([]);
});

test('the settings page explains every environment variable of the configuration, and no other', () => {
  const known = all(read('shared/config.ts'), /^ {2}([A-Z][A-Z0-9_]*): /gm);
  expect(known).toContain('K_SERVICE');
  expect(all(section(read('docs/settings.md'), 'Variables'), /^\| `([^`]+)` \|/gm)).toEqual(known);
});

test('the settings page explains every flag of the local stack, and no other', () => {
  const flags = all(USAGE, /^ {2}(--[a-z-]+)/gm).filter((flag) => flag !== '--help');
  expect(all(section(read('docs/settings.md'), 'The local stack'), /^\| `(--[a-z-]+)/gm)).toEqual(flags);
});

test('the data model describes every collection, and no other', () => {
  const shared = [...sources].flatMap(([path, source]) => (path.startsWith('shared/') ? source : []));
  const declared = all(shared.join('\n'), /[cC]ollection\(\s*'([^']+)'/g);
  expect(declared).toContain('keys');
  const table = section(read('docs/data-model.md'), 'Collections').split('###')[0] ?? '';
  expect(all(table, /^\| `([^`]+)` \|/gm)).toEqual(declared);
});

test('the security page names everything that the console keeps in storage, and only `kept.ts` keeps anything', () => {
  const inConsole = [...sources].filter(([path]) => path.startsWith('console/src/'));
  const keepers = inConsole.filter(([, source]) =>
    /\b(?:localStorage|sessionStorage|cookie|indexedDB|caches)\b/.test(source),
  );
  expect(keepers.map(([path]) => path)).toEqual(['console/src/session/kept.ts']);
  const code = inConsole.map(([, source]) => source).join('\n');
  const named = all(code, /(?:setItem|keepForReturn)\((\w+), /g).map(
    (name) => new RegExp(`const ${name} = '(.+)';`).exec(code)?.[1] ?? name,
  );
  const page = section(read('docs/security.md'), 'The console in the browser');
  expect(
    all(page, /\| the token is stolen from storage \|(.*)$/gm)
      .flatMap((row) => all(row, /`([^`]+)`/g))
      .sort(),
  ).toEqual(named.filter((name) => name !== 'name').sort());
});

test('the results have every attack of `npm run drill -- fairness`, and no other', () => {
  const attacks = globSync('bench/fairness/attacks/*.ts', { cwd: ROOT }).map(read).join('\n');
  const names = all(attacks, /^ {2}name: '([^']+)'/gm);
  expect(names.length).toBeGreaterThan(10);
  const [, table = ''] = section(read('bench/RESULTS.md'), 'Fairness').split(/^\| attack .*\n\|.*\n/m);
  expect(all(table, /^\| ([^|]+) \|/gm)).toEqual(names);
});

test('every npm script that a page names exists', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  const named = all(pages.map(read).join('\n'), /npm run (?:--silent )?([a-z:]+)\b(?! -w)/g);
  expect(named).toContain('deploy:docs');
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test('the performance page charges operations at its own prices', () => {
  const page = read('docs/performance.md');
  const prices = new Map(
    [...page.matchAll(/^\| ([^|]+?) \| \$([\d.]+) \| ([\d,]+) /gm)].map(([, name, dollars, count = '']) => [
      name,
      Number(dollars) / Number(count.replaceAll(',', '')),
    ]),
  );
  const cost = (count: number, name: string) => count * (prices.get(name) ?? Number.NaN);
  const rows = [...section(page, 'Costs').matchAll(/^\| `\w+` \| `\w+` \|((?: [\d.]+ \|){5})((?: \$[\d.]+ \|){5})/gm)];
  expect(rows.length).toBeGreaterThan(10);
  for (const [, taken = '', charged = ''] of rows) {
    const [, reads = 0, writes = 0, kmsCalls = 0, loggedBytes = 0] = taken.split('|').map(Number);
    const charges = [
      cost(reads, 'Firestore read') + cost(writes, 'Firestore write'),
      cost(kmsCalls, 'KMS call'),
      cost(loggedBytes, 'log') / 2 ** 30,
      cost(1, 'API Gateway call') + cost(1, 'Cloud Run request'),
    ].map((dollars) => 1_000_000 * dollars);
    const sum = charges.reduce((one, other) => one + other);
    expect(charged).toBe([...charges, sum].map((dollars) => ` $${dollars.toFixed(2)} |`).join(''));
  }
});
