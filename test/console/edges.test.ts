import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { openAs, openConsole, openDialog } from '../support/console-page.ts';
import { ownStack } from '../support/own-stack.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = ownStack();
const browser = NO_BROWSER === undefined ? await startBrowser() : undefined;
afterAll(() => browser?.close());

const open = async (path: string): Promise<{ page: Page; tenant: Awaited<ReturnType<typeof makeTenant>> }> => {
  if (browser === undefined) throw new Error('no browser');
  const tenant = await makeTenant(stack);
  const { page } = await openAs(browser, stack, tenant, path);
  return { page, tenant };
};

describe.skipIf(browser === undefined)('addresses, names and networks at their edges', () => {
  test.each(['key_id=orders', 'result=ok', 'since=yesterday', 'operation=encript', 'key_id=a&key_id=b', 'user_id='])(
    'an address of the audit log with a filter that cannot be read shows an error, no events and no export: ?%s',
    async (query) => {
      const { page } = await open(`/audit?${query}`);
      await page.getByRole('alert').getByText(query.replace(/=.*/, '')).waitFor();
      expect(await page.getByRole('table').count()).toBe(0);
      expect(await page.getByRole('button', { name: /Export/ }).count()).toBe(0);
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByRole('button', { name: 'Export CSV' }).waitFor();
      expect(new URL(page.url()).search).toBe('');
    },
  );

  test('an address with a month that cannot be read shows an error instead of another month', async () => {
    const { page } = await open('/billing?period=2026-13');
    await page.getByRole('alert').getByText('This address names no month').waitFor();
    await page.getByRole('button', { name: 'Show the current month' }).click();
    await page.getByText(/\(UTC\)$/).waitFor();
  });

  test('a time that is typed in local time is shown as it was understood, in UTC', async () => {
    if (browser === undefined) return;
    const tenant = await makeTenant(stack);
    const { page } = await openAs(browser, stack, tenant, '/audit', { timezoneId: 'Asia/Tokyo' });
    await page.getByLabel('Since', { exact: true }).fill('2026-11-01 08:00');
    await page.getByText('Understood as 2026-10-31 23:00 UTC.').waitFor();
    await page.getByLabel('Until', { exact: true }).fill('soon');
    await page.getByText('This is not a date or a time.').waitFor();
  });

  test('the Enter key that ends the composition of a character does not leave the page', async () => {
    const { page } = await open('/keys');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Page, command, name or ID' });
    await field.fill('Audit');
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(new URL(page.url()).pathname).toBe('/keys');
    await field.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
  });

  test('a name of 128 emojis is kept whole, and a longer name is refused, not cut', async () => {
    const { page, tenant } = await open('/containers');
    const dialog = await openDialog(page, 'Create container');
    const name = dialog.getByLabel('Name', { exact: true });
    await name.fill('😀'.repeat(129));
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    expect(await name.evaluate((field) => Reflect.get(field, 'validationMessage'))).toBe(
      'This has 129 characters. At most 128 are allowed.',
    );
    await name.fill('😀'.repeat(128));
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await tenant.console.send('GET', '/v1/containers');
    expect(body).toContainEqual(expect.objectContaining({ name: '😀'.repeat(128) }));
  });

  test('names are isolated, and their invisible characters are shown, also in the dialog that destroys a key', async () => {
    const { page, tenant } = await open('/keys');
    await tenant.createKey('free', 'evil\u202edrowssap');
    await page.reload();
    await page.locator('bdi', { hasText: 'evil<U+202E>drowssap' }).click();
    const dialog = await openDialog(page, 'Destroy now');
    await dialog.locator('h2 bdi').waitFor();
    expect(await dialog.getByRole('heading').textContent()).toBe('Destroy evil<U+202E>drowssap now');
  });

  test('the keys of an API key are a list of checkboxes whose search keeps what is selected', async () => {
    const { page, tenant } = await open('/api-keys');
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => tenant.createKey('wrapped', `key ${n}`)));
    await page.reload();
    const dialog = await openDialog(page, 'Create API key');
    const list = dialog.getByRole('group', { name: 'Keys' });
    await list.getByLabel('key 3', { exact: true }).check();
    await list.getByRole('searchbox').fill('key 11');
    expect(await list.getByRole('checkbox').count()).toBe(1);
    await list.getByLabel('key 11', { exact: true }).check();
    await list.getByText('2 of 12 selected.').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('two keys');
    const sent = page.waitForRequest((request) => request.method() === 'POST' && /api-keys$/.test(request.url()));
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    expect((await sent).postDataJSON().key_ids.toSorted()).toEqual([ids[3], ids[11]].toSorted());
  });

  test('the list of API keys says who created each and when, and whether it is used', async () => {
    const { page, tenant } = await open('/api-keys');
    await tenant.mint({ name: 'ci' });
    await page.reload();
    const row = page.getByRole('row', { name: /^ci / });
    await row.getByText('Active').waitFor();
    const [head] = await page.getByRole('row').allTextContents();
    expect(head).toMatch(/State.*Created.*Last used/);
    await row.getByText(/^by ./).waitFor();
  });

  test('while the provider is unreachable, a sign-in says so, without a request ID', async () => {
    if (browser === undefined) return;
    const { page } = await openConsole(browser, stack, '/');
    await page.route(/openid-configuration/, (route) => route.abort());
    await page.getByRole('button', { name: 'Sign in' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('We could not reach the identity provider.').waitFor();
    expect(await alert.textContent()).not.toMatch(/Failed to fetch|Request/);
  });

  test('offline, an error has no request ID; back online, the page loads again', async () => {
    const { page } = await open('/');
    await page.context().setOffline(true);
    await page.getByRole('navigation').getByRole('link', { name: 'Firewalls', exact: true }).click();
    const alert = page.getByRole('alert').first();
    await alert.getByText('You are offline.').waitFor();
    expect(await alert.textContent()).not.toContain('Request');
    await page.context().setOffline(false);
    await alert.waitFor({ state: 'detached', timeout: 3_000 });
  });

  test('an error of the service links to the explanation of its code', async () => {
    const { page } = await open('/');
    const body = JSON.stringify({ error: 'internal_error', message: 'internal error', request_id: 'one' });
    const headers = { 'access-control-allow-origin': '*', 'x-request-id': 'one' };
    await page.route(/\/v1\/firewalls/, (route) =>
      route.fulfill({ status: 500, headers, contentType: 'application/json', body }),
    );
    await page.getByRole('navigation').getByRole('link', { name: 'Firewalls', exact: true }).click();
    const link = page.getByRole('alert').first().getByRole('link', { name: 'About this error' });
    expect(await link.getAttribute('href')).toBe('/reference#internal_error');
  });

  test('the status page compares the clocks of the browser and the service', async () => {
    const { page } = await open('/status');
    await page.getByRole('listitem').filter({ hasText: 'Clock' }).getByText('OK').waitFor();
  });
});
