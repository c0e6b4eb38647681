import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { anchorFor } from '../docs/.vitepress/markdown.ts';
import { PAGES } from '../docs/.vitepress/pages.ts';
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
});

test('the sidebar of the site has every page exactly once', () => {
  expect(PAGES.toSorted()).toEqual(pages.toSorted());
});

test('every error code has exactly one anchor on the troubleshooting page', () => {
  const found = [...read('docs/troubleshooting.md').matchAll(/<a id="(\w+)">/g)].map(([, code = '']) => code);
  expect(found.toSorted()).toEqual([...ERROR_CODES].toSorted());
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

test('every npm script that a page mentions exists', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  const named = all(pages.map(read).join('\n'), /npm run (?:--silent )?([a-z:]+)\b(?! -w)/g);
  expect(named).toContain('deploy:docs');
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});
