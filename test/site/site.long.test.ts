import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docsHeaders } from '../../deploy/docs-headers.ts';
import { PAGES } from '../../docs/.vitepress/pages.ts';
import { ROOT } from '../sources.ts';
import { NO_BROWSER, startBrowser } from '../support/programs.ts';
import { removeTemporaryFolders, temporaryFolder } from '../support/temporary-folder.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

const folder = temporaryFolder('site');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

/** Serves the built site at `/docs/` with the headers of a deployment. */
const server = createServer((request, response) => {
  const path = new URL(request.url ?? '', 'http://site').pathname.replace(/\/$/, '/index.html');
  const file = join(folder, path.replace('/docs/', ''));
  if (!path.startsWith('/docs/') || !existsSync(file)) return void response.writeHead(404).end();
  const headers = docsHeaders(read('index.html')).flatMap((rule) => rule.headers);
  for (const { key, value } of headers) response.setHeader(key, value);
  response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream').end(readFileSync(file));
});
let address: string;

beforeAll(async () => {
  // In another process, because Vitest's environment would make it a development build.
  const args = [join(ROOT, 'docs/.vitepress/main.ts'), '--build', `--to=${folder}`, '--base=/docs/'];
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, NODE_ENV: 'production' } });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${Object(server.address()).port}/docs/`;
});
afterAll(() => {
  server.close();
  removeTemporaryFolders();
});

test('every link of the built site leads to an existing page, and to an existing place on it', () => {
  const pages = new Map(globSync('**/*.html', { cwd: folder }).map((file) => [file, read(file)]));
  const anchors = new Map(
    [...pages].map(([file, html]) => [file, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const dead = [...pages].flatMap(([file, html]) =>
    [...html.matchAll(/ href="(?!https?:|mailto:|data:)([^"]*)"/g)].flatMap(([, href = '']) => {
      const [path = '', anchor = ''] = href.split('#');
      const inSite = path === '' ? file : posix.join(posix.dirname(file), path).replace(/^.*?docs\//, '');
      const target = path.startsWith('/docs/') ? path.slice('/docs/'.length) : inSite;
      const name = target === '' || target.endsWith('/') ? `${target}index.html` : target;
      const isThere = existsSync(join(folder, name));
      const isPlace = anchor === '' || anchors.get(name)?.has(decodeURIComponent(anchor)) !== false;
      return isThere && isPlace ? [] : [`${file} -> ${href}`];
    }),
  );
  expect(read('concepts.html')).toContain('href="/docs/tiers.html#what-protects-a-key"');
  expect(read('api/keys.html')).toContain('href="/docs/troubleshooting.html#invalid_name"');
  expect(pages.size).toBe(PAGES.length + 1);
  expect(dead).toEqual([]);
});

test('llms.txt names every page, and each is there as Markdown', () => {
  const named = [...read('llms.txt').matchAll(/\]\(([^)]+\.md)\)/g)].map(([, file = '']) => file);
  expect(named).toHaveLength(PAGES.length);
  expect(named.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
});

const browser: Browser | undefined = NO_BROWSER === undefined ? await startBrowser() : undefined;
afterAll(() => browser?.close());

describe.skipIf(browser === undefined)('in a browser, with the content security policy of a deployment', () => {
  const complaints: string[] = [];

  async function open(path: string): Promise<Page> {
    if (browser === undefined) throw new Error('there is no browser');
    const page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${address}${path}`, { waitUntil: 'networkidle' });
    return page;
  }

  test('a reader searches “rotate”, and follows a result to the guide', async () => {
    const page = await open('');
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('rotate');
    const result = page.getByRole('option').filter({ hasText: 'Rotate without losing data' }).first();
    await result.click();
    await page.getByRole('heading', { level: 1, name: 'Rotate without losing data' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs/rotate.html');
    expect(complaints).toEqual([]);
  });

  test('a reader switches the language of an example', async () => {
    const page = await open('api/cryptography.html');
    const group = page.locator('.vp-code-group').first();
    expect(await group.locator('pre:visible').first().textContent()).toContain('curl');
    for (const [label, text] of [
      ['TypeScript', 'service.encrypt'],
      ['Python', 'call('],
    ] as const) {
      await group.getByText(label, { exact: true }).click();
      expect(await group.locator('pre:visible').first().textContent()).toContain(text);
    }
    expect(complaints).toEqual([]);
  });

  test('a reader switches to the dark mode', async () => {
    const page = await open('tour.html');
    const isDark = () => page.evaluate('document.documentElement.classList.contains("dark")');
    expect(await isDark()).toBe(false);
    await page.getByRole('switch').first().click();
    expect(await isDark()).toBe(true);
  });
});
