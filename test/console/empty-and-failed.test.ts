import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { consoleUrl, openAs, openConsole } from '../support/console-page.ts';
import { ownStack } from '../support/own-stack.ts';
import { makeTenant } from '../support/tenant.ts';
import { inspect, visit } from './inspect.ts';

const stack = ownStack();
const browser = NO_BROWSER === undefined ? await startBrowser() : undefined;
afterAll(() => browser?.close());

/** Twenty minutes, because a busy machine is ten times slower. */
const TIMEOUT_MS = 1_200_000;
const LISTS = ['/', '/keys', '/api-keys', '/containers', '/firewalls', '/audit', '/billing'];
const MISSING_OBJECTS = ['/keys', '/api-keys', '/containers', '/firewalls'].map((list) => `${list}/${randomUUID()}`);

const containers = z.array(z.looseObject({ id: z.string() }));

/** Goes to a path without reloading the page, as the console’s links do. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

describe.skipIf(browser === undefined)(
  'empty pages, pages during an outage, and the sign-in page',
  { timeout: TIMEOUT_MS },
  () => {
    test('pages for empty lists, searches without a match and missing objects pass the axe accessibility checks at every width', async () => {
      if (browser === undefined) return;
      const tenant = await makeTenant(stack);
      await tenant.console.send('DELETE', `/v1/api-keys/${tenant.apiKeyId}`);
      const { page, complaints } = await openAs(browser, stack, tenant);
      const further = [
        '/?period=2026-01',
        '/billing?period=2026-01',
        '/containers?q=nothing',
        `/audit?result=error&since=2026-01-01T00:00:00Z&user_id=${randomUUID()}&api_key_id=${randomUUID()}`,
        '/nothing',
      ];
      for (const path of [...LISTS, ...further]) {
        await visit(page, path);
        expect(await page.getByRole('alert').count(), path).toBe(0);
        await inspect(page, path);
      }
      const [container] = containers.parse((await tenant.console.send('GET', '/v1/containers')).body);
      await page.route(/\/v1\/audit\?/, async (route) => route.fulfill({ response: await route.fetch(), json: [] }));
      for (const path of ['/keys', '/api-keys', `/containers/${container?.id}`, '/firewalls', '/members', '/audit']) {
        await visit(page, path);
        await page.locator('main .drawing').waitFor();
        await inspect(page, path);
      }
      await page.unrouteAll();
      for (const path of MISSING_OBJECTS) {
        await visit(page, path);
        await page.getByText('not found').waitFor();
        await inspect(page, path);
      }
      expect(complaints).toEqual([]);
    });

    test('during an outage, every page shows one alert, reports nothing as missing or empty, and passes the axe accessibility checks', async () => {
      if (browser === undefined) return;
      const tenant = await makeTenant(stack);
      const { page, complaints } = await openAs(browser, stack, tenant, '/nothing');
      await page.route(`${stack.baseUrl}/v1/**`, (route) => route.abort());
      for (const path of [...LISTS, ...MISSING_OBJECTS]) {
        await follow(page, path);
        await page.getByRole('alert').getByText('We could not reach the service.').waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        expect(await page.getByText('We could not reach the service.').count(), path).toBe(1);
        expect(await page.getByText(/not found|^None$|Nothing recorded|Nothing is sealed|is empty/).count(), path).toBe(
          0,
        );
        await inspect(page, path);
      }
      expect(complaints).toEqual([]);
    });

    test('the pages without a session pass the axe accessibility checks at every width, with and without an error message', async () => {
      if (browser === undefined) return;
      const { page, complaints } = await openConsole(browser, stack);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await inspect(page, 'sign in');
      await page.goto(`${consoleUrl(stack)}/callback?code=x&state=y`);
      await page.getByRole('alert').getByText('Sign-in failed.').waitFor();
      await inspect(page, 'sign in failed');
      await page.goto(`${consoleUrl(stack)}/status`);
      await page.getByRole('status').getByText('Everything works.').waitFor();
      await inspect(page, 'status without a session');
      await page.route(`${stack.baseUrl}/**`, (route) => route.abort());
      await page.goto(consoleUrl(stack));
      await page.getByRole('alert').getByText('We could not reach the service.').waitFor();
      await inspect(page, 'start failed');
      expect(complaints).toEqual([]);
    });
  },
);
