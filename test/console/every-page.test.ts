import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { text } from '../support/client.ts';
import { type ConsolePage, consoleUrl, ownConsole } from '../support/console-page.ts';
import { NO_BROWSER } from '../support/programs.ts';
import { makeTenant } from '../support/tenant.ts';
import { setOpsNow } from '../support/usage.ts';
import { expectToFit, inspect, visit } from './inspect.ts';
import { makeSampleTenant, PAGES, type SampleTenant } from './sample-tenant.ts';

const { stack, describeConsole, open, openAs, openAsOwner } = ownConsole();

/** Twenty minutes, because these tests check every page of the console, and a busy machine is ten times slower. */
const TIMEOUT_MS = 1_200_000;

describeConsole('every page and dialog', { timeout: TIMEOUT_MS }, () => {
  let sample: SampleTenant;
  beforeAll(async () => {
    sample = await makeSampleTenant(stack);
  });

  describe('passes the axe accessibility checks in both themes, fits the screen and violates no content security policy', () => {
    let opened: ConsolePage | undefined;
    let seen = 0;
    beforeAll(async () => {
      if (NO_BROWSER === undefined) opened = await openAs(sample.tenant);
    });

    /** Inspects the signed-in page after the given steps, and expects no complaint of the browser about them. */
    async function inspectAfter(name: string, steps: (page: Page) => Promise<void>): Promise<void> {
      if (opened === undefined) return;
      const { page, complaints } = opened;
      await steps(page);
      await inspect(page, name);
      const further = complaints.slice(seen);
      seen = complaints.length;
      expect(further).toEqual([]);
    }

    test.each(Object.entries(PAGES))('page %s', (name, path) =>
      inspectAfter(name, (page) => visit(page, sample.pathOf(path))),
    );

    test('opened row of the audit log', () =>
      inspectAfter('opened row', async (page) => {
        await visit(page, '/audit');
        await page.getByRole('row').nth(1).getByRole('button', { expanded: false }).click();
        await page.getByText('Not sealed yet.').waitFor();
      }));

    test('palette', () =>
      inspectAfter('palette', async (page) => {
        await visit(page, '/audit');
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').waitFor();
      }));

    test('token of a new API key', () =>
      inspectAfter('token', async (page) => {
        await visit(page, PAGES['create-api-key']);
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name', { exact: true }).fill('inspected');
        await dialog.getByRole('button', { name: 'Create', exact: true }).click();
        await dialog.getByText(/shown only once/).waitFor();
      }));
  });

  test('pages with names of maximum length and large numbers fit every screen width', async () => {
    const tenant = await makeTenant(stack);
    const name = 'a'.repeat(128);
    const create = async (path: string, body: object): Promise<string> =>
      text(await tenant.console.send('POST', path, { name, ...body }), 'id');
    const container_id = await create('/v1/containers', {});
    const allowed_ips = Array.from({ length: 9 }, (_, at) => `2001:db8:1111:2222:3333:4444:5555:666${at}`);
    const firewall_id = await create('/v1/firewalls', { container_id, allowed_ips });
    const key = await create('/v1/keys', { container_id, tier: 'wrapped' });
    const apiKey = await tenant.mint({ name, container_id, firewall_id, key_ids: [key] });
    await setOpsNow(stack, key, 14_000);
    const { page } = await openAs(tenant);
    const lists = ['/', '/keys', '/api-keys', '/containers', '/firewalls', '/members', '/audit', '/billing'];
    const objects = [
      `/keys/${key}`,
      `/api-keys/${apiKey.id}`,
      `/containers/${container_id}`,
      `/firewalls/${firewall_id}`,
    ];
    const dialogs = [`/keys/${key}?do=destroy`, `/api-keys/${apiKey.id}?do=edit`, '/api-keys?do=create'];
    for (const path of [...lists, ...objects, ...dialogs]) {
      await visit(page, path);
      await expectToFit(page);
    }
  });

  test('on a narrow screen, links to the pages are in a menu', async () => {
    const { page } = await openAs(sample.tenant, '/', { viewport: { width: 360, height: 780 } });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Firewalls', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Firewalls' }).waitFor();
    expect(await page.getByRole('link', { name: 'Firewalls', exact: true }).count()).toBe(0);
  });

  test('a key can be created and destroyed by keyboard, and focus is never lost', async () => {
    const { page } = await openAs(sample.tenant);
    const focused = () =>
      page.evaluate<string>('document.activeElement?.textContent || document.activeElement?.tagName');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('create key');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Create key' });
    await dialog.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.type('software');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'by keyboard', exact: true }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'by keyboard' }).waitFor();
    await expect.poll(focused).toBe('by keyboard');
    const destroy = page.getByRole('button', { name: 'Destroy now', exact: true });
    await destroy.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Destroy now');
    await page.keyboard.press('Enter');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await expect.poll(focused).toBe('Keys');
  });

  test('the Esc key asks for confirmation before it discards input', async () => {
    const { page } = await openAs(sample.tenant, '/keys?do=create');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('orders 3');
    await page.keyboard.press('Escape');
    await dialog.getByText('You have unsaved changes.').waitFor();
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('orders 3');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('the key list of a tenant with 10,000 keys shows 100 keys at a time, and the search covers all keys', async () => {
    const { page } = await openAs(sample.tenant);
    const answer = await sample.tenant.console.send('GET', '/v1/keys');
    const [like] = Array.isArray(answer.body) ? answer.body : [];
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      ...Object(like),
      id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      name: `key ${at}`,
    }));
    await page.route(`${stack.baseUrl}/v1/keys`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: many });
    });
    await visit(page, '/keys');
    await page.getByRole('link', { name: 'key 0', exact: true }).waitFor();
    expect(await page.getByRole('row').count()).toBe(101);
    await page.getByRole('searchbox').fill('key 9999');
    await page.getByRole('link', { name: 'key 9999', exact: true }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('q')).toBe('key 9999');
  });
});

const LISTS = ['/', '/keys', '/api-keys', '/containers', '/firewalls', '/audit', '/billing'];
const MISSING_OBJECTS = ['/keys', '/api-keys', '/containers', '/firewalls'].map((list) => `${list}/${randomUUID()}`);

const containers = z.array(z.looseObject({ id: z.string() }));

/** Goes to a path without reloading the page, as the console’s links do. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

describeConsole('empty pages, pages during an outage, and the sign-in page', { timeout: TIMEOUT_MS }, () => {
  test('pages for empty lists, searches without a match and missing objects pass the axe accessibility checks at every width', async () => {
    const tenant = await makeTenant(stack);
    await tenant.console.send('DELETE', `/v1/api-keys/${tenant.apiKeyId}`);
    const { page, complaints } = await openAs(tenant);
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
    const { page, complaints } = await openAsOwner('/nothing');
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
    const { page, complaints } = await open();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await inspect(page, 'sign in');
    await page.goto(`${consoleUrl(stack)}/callback?code=x&state=y`);
    await page.getByRole('alert').getByText('Sign-in failed.').waitFor();
    await inspect(page, 'sign in failed');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.goto(`${consoleUrl(stack)}/status`);
    await page.getByRole('status').getByText('Everything works.').waitFor();
    await inspect(page, 'status without a session');
    await page.route(`${stack.baseUrl}/**`, (route) => route.abort());
    await page.goto(consoleUrl(stack));
    await page.getByRole('alert').getByText('We could not reach the service.').waitFor();
    await inspect(page, 'start failed');
    expect(complaints).toEqual([]);
  });
});
