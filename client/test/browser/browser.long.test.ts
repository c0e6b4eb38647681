import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleOriginOf, portsOf } from '../../../emulators/stack/ports.ts';
import { NOWHERE } from '../../../test/support/client.ts';
import { ownStack } from '../../../test/support/own-stack.ts';
import { NO_BROWSER, startBrowser } from '../../../test/support/programs.ts';
import { makeTenant, type Tenant } from '../../../test/support/tenant.ts';

// These exist only in the page, where the functions that are given to `inPage` run.
declare const library: typeof import('../../src/index.ts');
declare const service: InstanceType<typeof library.EncryptionService>;
declare const keyId: string;

const inBrowser = test.skipIf(NO_BROWSER !== undefined);
const stack = ownStack();
let browser: Browser | undefined;
let page: Page;
let tenant: Tenant;
const inPage: Page['evaluate'] = (...args: [never]) => page.evaluate(...args);

beforeAll(async () => {
  if (NO_BROWSER !== undefined) return;
  tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  const { outputFiles } = await build({
    ...{ entryPoints: [join(import.meta.dirname, '../../src/index.ts')], globalName: 'library' },
    ...{ bundle: true, platform: 'browser', write: false },
    footer: {
      js: `const keyId = '${key}';
        const service = new library.EncryptionService({ url: '${stack.baseUrl}', apiKey: '${tenant.api.token}' });`,
    },
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

inBrowser('in a browser, values are encrypted and decrypted, and times are Date objects', async () => {
  const result = await inPage(async () => {
    const aad = new TextEncoder().encode('order 42');
    const plaintext = new Uint8Array(65_536).map((_, at) => at % 251);
    const opened = await service.decrypt(keyId, { ...(await service.encrypt(keyId, { plaintext, aad })), aad });
    const { created_at } = await service.getKey(keyId);
    return { isSame: opened.plaintext.join() === plaintext.join(), isDate: created_at instanceof Date };
  });
  expect(result).toEqual({ isSame: true, isDate: true });
});

inBrowser('in a browser, Web Crypto can import a data key', async () => {
  const algorithm = await inPage(async () => {
    const { dek = new Uint8Array() } = await service.wrap(keyId);
    return (await crypto.subtle.importKey('raw', dek, 'AES-GCM', false, ['encrypt'])).algorithm;
  });
  expect(algorithm).toEqual({ name: 'AES-GCM', length: 256 });
});

inBrowser('in a browser, a refused call throws an error with code, status and request id', async () => {
  const error = await inPage(() =>
    service.decrypt(keyId, { ciphertext: Uint8Array.of(1) }).catch((thrown: unknown) => ({
      ...Object(thrown),
      isOurs: thrown instanceof library.EncryptionServiceError,
    })),
  );
  const requestId = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(error).toMatchObject({ code: 'invalid_ciphertext', status: 400, requestId, retryable: false, isOurs: true });
});

inBrowser('in a browser, a rotation is not retried after a network error, because it may have been sent', async () => {
  const error = await inPage(
    (url) =>
      new library.EncryptionService({ url }).rotateKey(keyId).catch((thrown: unknown) => ({ ...Object(thrown) })),
    NOWHERE,
  );
  expect(error).toMatchObject({ code: 'answer_lost', retryable: false });
});

inBrowser('in a browser, a call can be aborted', async () => {
  const code = await inPage(() => service.listKeys({ signal: AbortSignal.abort() }).catch(({ code }) => code));
  expect(code).toBe('aborted');
});

inBrowser('in a browser, paging through the audit log lists every event exactly once', async () => {
  const { body } = await tenant.api.send('POST', '/v1/keys', { name: 'pages', tier: 'wrapped' });
  const { id } = Object(body);
  for (let at = 0; at < 5; at++) await tenant.api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AA==' });
  const ids = await inPage(
    async ({ url, token, key_id }) => {
      const person = new library.EncryptionService({ url, accessToken: () => token });
      return Array.fromAsync(person.readAudit({ key_id, limit: 2 }), (event) => event.id);
    },
    { url: stack.baseUrl, token: tenant.console.token ?? '', key_id: id },
  );
  expect([ids.length, new Set(ids).size]).toEqual([6, 6]);
});

inBrowser('in a browser, a file is encrypted and decrypted as a stream, and a changed file is refused', async () => {
  const result = await inPage(async () => {
    const context = new TextEncoder().encode('backup');
    const through = async (bytes: Uint8Array<ArrayBuffer>, by: ReturnType<typeof library.decryptStream>) =>
      new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(by)).arrayBuffer());
    const plain = new Uint8Array(300_000).map((_, at) => at % 253);
    const sealed = await through(plain, library.encryptStream(service, keyId, { context }));
    const opened = await through(sealed, library.decryptStream(service, { context }));
    const damaged = sealed.map((byte, at) => (at === sealed.length - 1 ? byte ^ 1 : byte));
    const refused = new Blob([damaged]).stream().pipeThrough(library.decryptStream(service, { context }));
    const code = await refused.pipeTo(new WritableStream()).catch((error) => error.code);
    return { isSame: opened.join() === plain.join(), code };
  });
  expect(result).toEqual({ isSame: true, code: 'payload_altered' });
});

inBrowser('in a browser, a record is encrypted and decrypted under a cached data key', async () => {
  const text = await inPage(async () => {
    const options = { context: new TextEncoder().encode('cards'), recordId: new TextEncoder().encode('row 1') };
    const dataKeys = new library.DataKeys(service);
    const record = await dataKeys.encrypt(keyId, new TextEncoder().encode('4111'), options);
    return new TextDecoder().decode(await dataKeys.decrypt(record, options));
  });
  expect(text).toBe('4111');
});
