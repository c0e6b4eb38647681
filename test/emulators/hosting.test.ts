import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSite } from '../../console/build/site.ts';
import { docsHeaders } from '../../deploy/docs-headers.ts';
import { hostingConfig, withServer } from '../../deploy/hosting-config.ts';
import { type Hosting, startHosting } from '../../emulators/hosting/server.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const API = 'http://127.0.0.1:8080';
const ISSUER = 'http://127.0.0.1:8087';
const BUDGET = 150_000;

let hosting: Hosting;
let address: string;
beforeAll(async () => {
  hosting = await startHosting({ port: 0, api: API, issuer: ISSUER });
  address = `http://127.0.0.1:${hosting.port}`;
});
afterAll(() => hosting.stop());

const get = (path: string): Promise<Response> => fetch(`${address}${path}`);

test('every path that is not a file returns the console’s page, which browsers must revalidate before use', async () => {
  const pages = await Promise.all(['/', '/keys', '/keys/x?do=rotate', '/callback'].map(get));
  const texts = await Promise.all(pages.map((page) => page.text()));
  expect(new Set(texts).size).toBe(1);
  for (const page of pages) {
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  }
});

test('assets, whose names contain a hash of their content, may be cached forever; a missing asset is 404', async () => {
  const page = await (await get('/')).text();
  const assets = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(assets).toHaveLength(3);
  for (const path of assets) {
    const asset = await get(path);
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  }
  expect((await get('/assets/none.js')).status).toBe(404);
});

test('the content security policy allows no inline code, and only the origins of the console, the service and the identity provider', async () => {
  const { headers } = await get('/keys');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
  expect(policy).not.toMatch(/unsafe|\*|data:|invalid/);
  expect(policy).toContain(`connect-src 'self' ${API} ${ISSUER};`);
  expect(headers.get('strict-transport-security')).toContain('max-age=63072000');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  const page = await (await get('/')).text();
  expect(page).not.toMatch(/<style|style=|<script(?! type="module" src)|\son\w+=/);
});

test('config.json contains the address of the service', async () => {
  expect(await (await get('/config.json')).json()).toEqual({ api_url: API });
});

test('the content security policy of a deployment has the deployment’s origins in place of all placeholders', async () => {
  const text = await readFile(join(ROOT, 'firebase.json'), 'utf8');
  const config = hostingConfig(text, 'https://api.example.com/x', 'https://login.example.com/tenant');
  expect(config).toContain("connect-src 'self' https://api.example.com https://login.example.com;");
  expect(config).not.toContain('invalid');
  expect(() => hostingConfig('{"hosting":{"public":"x"}}', API, ISSUER)).toThrow('api.invalid');
});

test('the OpenAPI document beside the console names the deployment’s address, and is otherwise the same', async () => {
  const text = await readFile(join(ROOT, 'docs/openapi.json'), 'utf8');
  const published = JSON.parse(withServer(text, 'https://api.example.com'));
  expect(published).toEqual({ ...JSON.parse(text), servers: [{ url: 'https://api.example.com' }] });
});

test('the documentation beside the console has a separate policy, which allows its inline scripts by their hashes', () => {
  const page = '<script type="module" src="/docs/x.js"></script><script id="a">dark()</script>';
  const hash = createHash('sha256').update('dark()').digest('base64');
  const [policy] = docsHeaders(page).flatMap(({ headers }) => headers.map(({ value }) => value));
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(policy).toContain("connect-src 'self';");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
});

test('script and style are at most 150 kB gzipped in total, without the API reference', async () => {
  const folder = temporaryFolder('console-size');
  await writeSite(folder, { api: API });
  const names = await readdir(join(folder, 'assets'));
  const referenceFiles = names.filter((name) => /^reference-\w+\.js$/.test(name));
  expect(referenceFiles).toHaveLength(1);
  const assets = names.filter((name) => /\.(js|css)$/.test(name) && !referenceFiles.includes(name));
  const files = await Promise.all(assets.map((name) => readFile(join(folder, 'assets', name))));
  const sizes = files.map((file) => gzipSync(file).length);
  expect(sizes).toHaveLength(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(BUDGET);
});
