import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { anchorFor } from '../docs/.vitepress/markdown.ts';
import { PAGES, SIDEBAR } from '../docs/.vitepress/pages.ts';
import { ERROR_CODES } from '../shared/errors.ts';
import { ROOT, sources } from './sources.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'bench/README.md',
  'bench/RESULTS.md',
  'client/README.md',
  'test/reliability/README.md',
  ...globSync('emulators/**/README.md', { cwd: ROOT }),
  ...globSync('docs/**/*.md', { cwd: ROOT }),
];
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Returns all matches of the pattern’s first group, sorted and without duplicates. */
function all(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))].sort();
}

/** Returns the part of a page under a second-level heading. */
function section(page: string, heading: string): string {
  const [, , after = ''] = page.split(new RegExp(`^(## ${heading})$`, 'm'));
  return after.split(/^## /m)[0] ?? '';
}

/** Returns the code blocks of a page. */
const codeOf = (page: string): string[] =>
  [...page.matchAll(/^```\w+(?: \[\w+\])?\n(.*?)^```$/gms)].map(([, code = '']) => code);

/** Returns the anchors of a page: those of its headings, and those of its `<a id>` tags. */
function anchors(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorFor(heading));
  return [...headings, ...all(page, /<a id="([^"]+)">/g)];
}

describe.for(pages)('%s', (page) => {
  const links = all(read(page), /\]\((?!https?:)([^)\s]+)\)/g);

  test('every relative link on the page leads to an existing file and an existing heading', () => {
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchors(read(target)).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  test('no line of a shell block has a comment, which zsh runs as a command when it is pasted', () => {
    const shell = [...read(page).matchAll(/^ *```sh\n(.*?)^ *```$/gms)].flatMap(([, code = '']) => code.split('\n'));
    expect(shell.filter((line) => /(?:^|\s)#/.test(line))).toEqual([]);
  });

  test('the page links to other pages', () => {
    expect(links.length).toBeGreaterThan(0);
  });
});

test('the sidebar of the site has every page exactly once', () => {
  expect(PAGES.toSorted()).toEqual(pages.toSorted());
});

test('every page except the README, the changelog and the security policy says in its first line for whom it is', () => {
  const introduced = pages.filter((page) => !['README.md', 'CHANGELOG.md', 'SECURITY.md'].includes(page));
  expect(introduced.filter((page) => !/^# .+\n\nFor /.test(read(page)))).toEqual([]);
});

test('every error code has exactly one anchor on the troubleshooting page', () => {
  const found = [...read('docs/troubleshooting.md').matchAll(/<a id="(\w+)">/g)].map(([, code = '']) => code);
  expect(found.toSorted()).toEqual([...ERROR_CODES].toSorted());
});

test('every guide says what can go wrong, and how to go back', () => {
  const guides = (SIDEBAR['Developer: guides'] ?? []).filter((page) => page !== 'docs/troubleshooting.md');
  const incomplete = [...guides, 'docs/audit.md'].filter(
    (page) => section(read(page), 'What can go wrong') === '' || section(read(page), 'How to go back') === '',
  );
  expect(incomplete).toEqual([]);
});

/** Returns how many words people wrote: those of generated tables do not count. */
function wordsOf(page: string): number {
  const written = read(page).replaceAll(/<!-- [\w -]+ -->\n[\s\S]*?<!-- end -->/g, '');
  return written.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
}

test('concepts and decisions have at most 900 words each, guides and they together at least 9,000', () => {
  const decisions = (SIDEBAR['Start here'] ?? []).filter((page) => !/README|tour/.test(page));
  expect(decisions.filter((page) => wordsOf(page) > 900)).toEqual([]);
  const guides = [...(SIDEBAR['Start here'] ?? []), ...(SIDEBAR['Developer: guides'] ?? []), 'docs/audit.md'];
  expect(guides.map(wordsOf).reduce((sum, words) => sum + words)).toBeGreaterThan(9000);
});

test('the pages for developers, operators and auditors have at most 36,000 words, generated ones excepted', () => {
  const isCounted = (page: string) => !/^docs\/api|CHANGELOG/.test(page) && !SIDEBAR.Contributor?.includes(page);
  const sum = PAGES.filter(isCounted)
    .map(wordsOf)
    .reduce((all, words) => all + words);
  expect(sum).toBeLessThan(36_000);
});

test('the README has at most 900 words', () => {
  expect(read('README.md').match(/\S+/g)?.length).toBeLessThanOrEqual(900);
});

test('every folder in the architecture figure exists', () => {
  const named = all(read('docs/architecture.svg'), /class="folder"[^>]*>([^<]+)</g);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([]);
});

test('the settings page explains exactly the environment variables of the configuration', () => {
  const known = all(read('shared/config.ts'), /^ {2}([A-Z][A-Z0-9_]*): /gm);
  expect(known).toContain('K_SERVICE');
  expect(all(section(read('docs/settings.md'), 'Variables'), /^\| `([^`]+)` \|/gm)).toEqual(known);
});

test('the data model describes exactly the collections of the service', () => {
  const shared = [...sources].flatMap(([path, source]) => (path.startsWith('shared/') ? source : []));
  const declared = all(shared.join('\n'), /[cC]ollection\(\s*'([^']+)'/g);
  expect(declared).toContain('keys');
  const table = section(read('docs/data-model.md'), 'Collections').split('###')[0] ?? '';
  expect(all(table, /^\| `([^`]+)` \|/gm)).toEqual(declared);
});

test('the security page lists everything that the console keeps in browser storage, and only `kept.ts` uses that storage', () => {
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

test('bench/RESULTS.md lists exactly the attacks that `npm run drill -- fairness` runs', () => {
  const attacks = globSync('bench/fairness/attacks/*.ts', { cwd: ROOT }).map(read).join('\n');
  const names = all(attacks, /^ {2}name: '([^']+)'/gm);
  expect(names.length).toBeGreaterThan(10);
  const [, table = ''] = section(read('bench/RESULTS.md'), 'Fairness').split(/^\| attack .*\n\|.*\n/m);
  expect(all(table, /^\| ([^|]+) \|/gm)).toEqual(names);
});

test('examples call the API with `BASE`, `API_KEY` and `KEY_ID`; those of pages about `esk` use its variables', () => {
  const examples = pages
    .filter((page) => page !== 'client/README.md' && !/\bESK_URL\b/.test(read(page)))
    .flatMap((page) => codeOf(read(page)));
  expect(examples.length).toBeGreaterThan(100);
  expect(examples.filter((example) => /\bESK_[A-Z]|(?<![\w'.])KEY=|\$KEY\b/.test(example))).toEqual([]);
});

test('every npm script that a page mentions exists', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  const named = all(pages.map(read).join('\n'), /npm run (?:--silent )?([a-z:]+)\b(?! -w)/g);
  expect(named).toContain('deploy:docs');
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test('the pages state the right number of alerts, and of their conditions', () => {
  const alerts = globSync('deploy/monitoring/alerts/*.json', { cwd: ROOT }).map(read);
  const conditions = alerts.flatMap((alert) => alert.match(/"displayName": "[^"]*",?\n\s+"condition/g) ?? []);
  expect(read('docs/deploy.md')).toContain(`[${alerts.length} alerts]`);
  expect(read('docs/limits.md')).toContain(`${conditions.length} conditions at $1.50`);
});

test('the costs on the performance page follow from the prices on the same page', () => {
  const page = read('docs/performance.md');
  const prices = new Map(
    [...page.matchAll(/^\| ([^|]+?) \| \$([\d.]+) \| ([\d,]+) /gm)].map(([, name, dollars, count = '']) => [
      name,
      Number(dollars) / Number(count.replaceAll(',', '')),
    ]),
  );
  const cost = (count: number, name: string) => count * (prices.get(name) ?? Number.NaN);
  const rows = [...section(page, 'Costs').matchAll(/^\| `\w+` \| `\w+` \|((?: [\d.]+ \|){5})((?: \$[\d.]+ \|){5})/gm)];
  expect(rows.length).toBeGreaterThan(8);
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
