import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
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
const codeOf = (page: string): string[] => [...page.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, code = '']) => code);

/** Returns the anchors of a page: those of its headings, and those of its `<a id>` tags. */
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

  test('the page is linked from the README and links to other pages', () => {
    if (page !== 'README.md') expect(read('README.md')).toContain(`(${page})`);
    expect(links.length).toBeGreaterThan(0);
  });
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

test('examples call the API with `BASE`, `API_KEY` and `KEY_ID`; only those of the client use the variables of `esk`', () => {
  const ofClient = ['client/README.md', 'docs/siem.md'];
  const examples = pages.filter((page) => !ofClient.includes(page)).flatMap((page) => codeOf(read(page)));
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
