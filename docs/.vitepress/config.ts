import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorFor, siteLinks, tabs } from './markdown.ts';
import { PAGES, placeOf, SIDEBAR } from './pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** Returns the title of a page: its first heading. */
function titleOf(page: string): string {
  return page === 'README.md' ? 'What it is' : (/^# (.+)$/m.exec(read(page))?.[1] ?? page);
}

/** Returns the first sentence of a page, which says for whom it is. */
function introductionOf(page: string): string {
  const [, paragraph = ''] = /^# .+\n+(?:<!--.*-->\n+)?([^\n#<][\s\S]*?)\n\n/m.exec(read(page)) ?? [];
  const text = paragraph.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

/** Returns llms.txt (llmstxt.org): the pages with what they are about, as Markdown. */
function llmsTxt(): string {
  const groups = Object.entries(SIDEBAR).map(([title, pages]) => {
    const lines = pages.map((page) => `- [${titleOf(page)}](${placeOf(page)}): ${introductionOf(page)}\n`);
    return `## ${title}\n\n${lines.join('')}`;
  });
  return `# Encryption Service\n\n> ${introductionOf('README.md')}\n\n${groups.join('\n')}`;
}

/** Copies a file into the site, at the same place as its page. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(join(ROOT, from), to);
}

/** Markdown of the repository that is no page of the site. */
const others = globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules', 'dist', '.*'] }).filter(
  (file) => !PAGES.includes(file),
);

const isCollapsed = (title: string) => /routes|Contributor/.test(title);

export default defineConfig({
  srcDir: ROOT,
  cacheDir: join(ROOT, 'node_modules/.cache/vitepress'),
  title: 'Encryption Service',
  description: 'How to use, run and audit the encryption service',
  lang: 'en',
  // Without this, each page has the list of all pages as an inline script, which a content security policy refuses.
  metaChunk: true,
  srcExclude: others,
  rewrites: Object.fromEntries(PAGES.map((page) => [page, placeOf(page)])),
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: { anchor: { slugify: anchorFor }, config: (md) => void md.use(tabs).use(siteLinks) },
  themeConfig: {
    sidebar: Object.entries(SIDEBAR).map(([text, pages]) => ({
      text,
      collapsed: isCollapsed(text),
      items: pages.map((page) => ({ text: titleOf(page), link: `/${placeOf(page).replace(/\.md$/, '')}` })),
    })),
    outline: [2, 3],
    search: { provider: 'local' },
    externalLinkIcon: true,
  },
  buildEnd: ({ outDir }) => {
    writeFileSync(join(outDir, 'llms.txt'), llmsTxt());
    copy('docs/openapi.json', join(outDir, 'openapi.json'));
    for (const page of PAGES) copy(page, join(outDir, placeOf(page)));
  },
});
