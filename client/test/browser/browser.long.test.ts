import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleOriginOf, portsOf } from '../../../emulators/stack/ports.ts';
import { NOWHERE } from '../../../test/support/client.ts';
import { ownStack } from '../../../test/support/own-stack.ts';
import { NO_BROWSER, startBrowser } from '../../../test/support/programs.ts';
import { makeTenant, type Tenant } from '../../../test/support/tenant.ts';

const inBrowser = test.skipIf(NO_BROWSER !== undefined);
const stack = ownStack();
let browser: Browser | undefined;
let page: Page | undefined;
let tenant: Tenant;
let keyId: string;

beforeAll(async () => {
  if (NO_BROWSER !== undefined) return;
  tenant = await makeTenant(stack);
  keyId = await tenant.createKey('software');
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'in-page.ts')],
    bundle: true,
    platform: 'browser',
    write: false,
  });
  // Without this flag, Chromium asks the user before a page that came from no network address may reach this machine.
  browser = await startBrowser('--disable-features=LocalNetworkAccessChecks');
  page = await browser.newPage();
  // The service's CORS rules allow only this origin. The test itself answers the requests to the origin.
  const origin = consoleOriginOf(portsOf(stack));
  await page.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(`${origin}/`);
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
});
afterAll(() => browser?.close());

/** Runs a check from `in-page.ts` in the browser page, and returns the check's result. */
async function check(name: string, more: object = {}): Promise<unknown> {
  if (page === undefined) throw new Error(NO_BROWSER);
  const given = { url: stack.baseUrl, apiKey: tenant.api.token, accessToken: tenant.console.token, keyId, ...more };
  return page.evaluate(`checks.${name}(${JSON.stringify(given)})`);
}

inBrowser('in a browser, values are encrypted and decrypted, and times are Date objects', async () => {
  expect(await check('values')).toEqual({ isSame: true, isDate: true });
});

inBrowser('in a browser, Web Crypto can import a data key', async () => {
  expect(await check('dataKeyForWebCrypto')).toEqual({ name: 'AES-GCM', length: 256 });
});

inBrowser('in a browser, a refused call throws an error with code, status and request id', async () => {
  expect(await check('refusal')).toEqual({
    code: 'invalid_ciphertext',
    status: 400,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    retryable: false,
  });
});

inBrowser(
  'in a browser, a rotation is not retried after a network error, because the request may have been sent',
  async () => {
    expect(await check('notReachable', { nowhere: NOWHERE })).toMatchObject({ code: 'answer_lost', retryable: false });
  },
);

inBrowser('in a browser, a call can be aborted', async () => {
  expect(await check('aborted')).toMatchObject({ code: 'aborted' });
});

inBrowser('in a browser, paging through the audit log lists every event exactly once', async () => {
  const { id } = await tenant.api
    .send('POST', '/v1/keys', { name: 'pages', tier: 'wrapped' })
    .then(({ body }) => Object(body));
  for (let at = 0; at < 5; at++) await tenant.api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AA==' });
  expect(await check('pages', { keyId: id })).toEqual({ events: 6, different: 6 });
});

inBrowser('in a browser, a file is encrypted and decrypted as a stream, and a changed file is refused', async () => {
  expect(await check('file')).toEqual({ isSame: true, code: 'payload_altered' });
});

inBrowser('in a browser, a record is encrypted and decrypted under a cached data key', async () => {
  expect(await check('record')).toBe('4111');
});
