import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PAGES, SIDEBAR } from '../docs/.vitepress/pages.ts';
import { ROOT } from './sources.ts';

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const isGenerated = (page: string) => /^docs\/api(\/|\.)|CHANGELOG/.test(page);

/** Returns how many words of a page people wrote: code blocks and generated tables do not count. */
function wordsOf(page: string): number {
  const written = read(page)
    .replaceAll(/<!-- [\w -]+ -->\n[\s\S]*?<!-- end -->/g, '')
    .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');
  return written.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
}

test('the pages for developers, operators and auditors have at most 30,000 words', () => {
  const counted = PAGES.filter((page) => !isGenerated(page) && !SIDEBAR.Contributor?.includes(page));
  expect(counted.map(wordsOf).reduce((sum, words) => sum + words)).toBeLessThanOrEqual(30_000);
});

test('each page about a concept or a decision has at most 900 words', () => {
  expect((SIDEBAR['Start here'] ?? []).filter((page) => wordsOf(page) > 900)).toEqual([]);
});

test('every guide says what can go wrong, and how to go back', () => {
  const guides = (SIDEBAR['Developer: guides'] ?? []).filter((page) => page !== 'docs/troubleshooting.md');
  const incomplete = [...guides, 'docs/audit.md'].filter(
    (page) => !/^## What can go wrong$/m.test(read(page)) || !/^## How to go back$/m.test(read(page)),
  );
  expect(incomplete).toEqual([]);
});

test('every page except the README, the changelog and the security policy says in its first line for whom it is', () => {
  const introduced = PAGES.filter((page) => !['README.md', 'CHANGELOG.md', 'SECURITY.md'].includes(page));
  expect(introduced.filter((page) => !/^# .+\n\n(?:<!--.*-->\n\n)?For /.test(read(page)))).toEqual([]);
});
