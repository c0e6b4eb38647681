import { join, posix, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { PAGES, placeOf } from './pages.ts';

const ROOT = join(import.meta.dirname, '../..');

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** A code block with a label, such as `sh [curl]`. */
function isLabelled({ type, info }: Token): boolean {
  return type === 'fence' && /\[.+\]$/.test(info);
}

/** Shows adjacent code blocks with labels as tabs. GitHub shows the same Markdown as blocks below each other. */
export function tabs(md: MarkdownRenderer): void {
  md.core.ruler.push('tabs', ({ tokens, Token }) => {
    for (let at = 0; at < tokens.length; at++) {
      let end = at;
      while (tokens[end] !== undefined && isLabelled(tokens[end] ?? new Token('', '', 0))) end++;
      if (end - at < 2) continue;
      const open = new Token('container_code-group_open', 'div', 1);
      const close = new Token('container_code-group_close', 'div', -1);
      tokens.splice(at, end - at, open, ...tokens.slice(at, end), close);
      at = end + 1;
    }
  });
}

/** Returns the address on the site for a relative link in a page, or `undefined` if the site has no such page. */
export function addressOf(page: string, href: string): string | undefined {
  const [path = '', anchor] = href.split('#');
  const target = path === '' ? page : posix.join(posix.dirname(page), path);
  const after = anchor === undefined ? '' : `#${anchor}`;
  if (target === 'docs/openapi.json') return '/openapi.json';
  return PAGES.includes(target) ? `/${placeOf(target)}${after}` : undefined;
}

/**
 * Makes relative links lead to the pages of the site. Shows links to other files of the repository, such as source code,
 * as text.
 */
export function siteLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('site-links', ({ tokens, env }) => {
    const page = relative(ROOT, String(env.realPath ?? env.path));
    for (const { children } of tokens) {
      if (children === null) continue;
      let isPlain = false;
      const kept = children.filter((token) => {
        if (token.type === 'link_close') return !isPlain;
        const href = token.type === 'link_open' ? (token.attrGet('href') ?? '') : '';
        if (token.type !== 'link_open') return true;
        const address = /^(?:https?:|#)/.test(href) ? href : addressOf(page, href);
        isPlain = address === undefined;
        if (address !== undefined) token.attrSet('href', address);
        return !isPlain;
      });
      children.splice(0, children.length, ...kept);
    }
  });
}

/** Returns the anchor of a heading, as GitHub makes it. */
export function anchorFor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
