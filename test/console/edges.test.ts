import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { goTo, openDialog, ownConsole } from '../support/console-page.ts';
import { DAY_MS, setClock, setFaults } from '../support/steer.ts';
import { makeTenant } from '../support/tenant.ts';

const { stack, describeConsole, open, openAs, openAsOwner } = ownConsole();

describeConsole('edges, the status page and the first steps', () => {
  test.each(['key_id=orders', 'result=ok', 'since=yesterday', 'operation=encript', 'key_id=a&key_id=b', 'user_id='])(
    'the audit log shows an error, no events and no export for the unreadable filter ?%s',
    async (query) => {
      const { page } = await openAsOwner(`/audit?${query}`);
      await page.getByRole('alert').getByText(query.replace(/=.*/, '')).waitFor();
      expect(await page.getByRole('table').count()).toBe(0);
      expect(await page.getByRole('button', { name: /Export/ }).count()).toBe(0);
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByRole('button', { name: 'Export CSV' }).waitFor();
      expect(new URL(page.url()).search).toBe('');
    },
  );

  test('an address with a month that cannot be read shows an error instead of another month', async () => {
    const { page } = await openAsOwner('/billing?period=2026-13');
    await page.getByRole('alert').getByText('This address names no month').waitFor();
    await page.getByRole('button', { name: 'Show the current month' }).click();
    await page.getByText(/\(UTC\)$/).waitFor();
  });

  test('a time that is typed in local time is shown as it was understood, in UTC', async () => {
    const tenant = await makeTenant(stack);
    const { page } = await openAs(tenant, '/audit', { timezoneId: 'Asia/Tokyo' });
    await page.getByLabel('Since', { exact: true }).fill('2026-11-01 08:00');
    await page.getByText('Understood as 2026-10-31 23:00 UTC.').waitFor();
    await page.getByLabel('Until', { exact: true }).fill('soon');
    await page.getByText('This is not a date or a time.').waitFor();
  });

  test('the Enter key that ends the composition of a character does not leave the page', async () => {
    const { page } = await openAsOwner('/keys');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Page, command, name or ID' });
    await field.fill('Audit');
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(new URL(page.url()).pathname).toBe('/keys');
    await field.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
  });

  test('a name of 128 emojis is kept whole, and a longer name is refused, not cut', async () => {
    const { page, tenant } = await openAsOwner('/containers');
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
    const { page, tenant } = await openAsOwner('/keys');
    await tenant.createKey('free', 'evil\u202edrowssap');
    await page.reload();
    await page.locator('bdi', { hasText: 'evil<U+202E>drowssap' }).click();
    const dialog = await openDialog(page, 'Destroy now');
    await dialog.locator('h2 bdi').waitFor();
    expect(await dialog.getByRole('heading').textContent()).toBe('Destroy evil<U+202E>drowssap now');
  });

  test('the keys of an API key are a list of checkboxes whose search keeps what is selected', async () => {
    const { page, tenant } = await openAsOwner('/api-keys');
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
    const { page, tenant } = await openAsOwner('/api-keys');
    await tenant.mint({ name: 'ci' });
    await page.reload();
    const row = page.getByRole('row', { name: /^ci / });
    await row.getByText('Active').waitFor();
    const [head] = await page.getByRole('row').allTextContents();
    expect(head).toMatch(/State.*Created.*Last used/);
    await row.getByText(/^by ./).waitFor();
  });

  test('while the provider is unreachable, a sign-in says so, without a request ID', async () => {
    const { page } = await open('/');
    await page.route(/openid-configuration/, (route) => route.abort());
    await page.getByRole('button', { name: 'Sign in' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('We could not reach the identity provider.').waitFor();
    expect(await alert.textContent()).not.toMatch(/Failed to fetch|Request/);
  });

  test('offline, an error has no request ID; back online, the page loads again', async () => {
    const { page } = await openAsOwner('/');
    await page.context().setOffline(true);
    await page.getByRole('navigation').getByRole('link', { name: 'Firewalls', exact: true }).click();
    const alert = page.getByRole('alert').first();
    await alert.getByText('You are offline.').waitFor();
    expect(await alert.textContent()).not.toContain('Request');
    await page.context().setOffline(false);
    await alert.waitFor({ state: 'detached' });
  });

  test('an error of the service links to the explanation of its code', async () => {
    const { page } = await openAsOwner('/');
    const body = JSON.stringify({ error: 'internal_error', message: 'internal error', request_id: 'one' });
    const headers = { 'access-control-allow-origin': '*', 'x-request-id': 'one' };
    await page.route(/\/v1\/firewalls/, (route) =>
      route.fulfill({ status: 500, headers, contentType: 'application/json', body }),
    );
    await page.getByRole('navigation').getByRole('link', { name: 'Firewalls', exact: true }).click();
    const link = page.getByRole('alert').first().getByRole('link', { name: 'About this error' });
    expect(await link.getAttribute('href')).toBe('/reference#internal_error');
  });

  test('the status page says what works, which part of the service does not, and what to do', async () => {
    const { page } = await openAsOwner('/status');
    await page.getByRole('status').getByText('Everything works.').waitFor();
    await setFaults(stack, { kms: 'down' });
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('status').getByText('1 check failed.').waitFor();
    const failed = page.getByRole('listitem').filter({ hasText: 'Does not work' });
    expect(await failed.count()).toBe(1);
    expect(await failed.textContent()).toMatch(/^Service Does not work.*KMS/s);
    await setFaults(stack, {});
  });

  test('without a session, the status page says whether the service and the identity provider answer, and offers to sign in', async () => {
    const { page } = await open('/status');
    await page.getByRole('status').getByText('Everything works.').waitFor();
    const titles = await page.getByRole('heading', { level: 2 }).allTextContents();
    expect(titles.map((title) => title.replace(/ (OK|Not checked)$/, ''))).toEqual([
      ...['Address', 'Encryption on the way', 'Clock', 'Service', 'Sign-in'],
    ]);
    await page.route(/openid-configuration/, (route) => route.abort());
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText(/^The identity provider at .* does not answer as expected\.$/).waitFor();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('while the service is unreachable, the start page mentions no change, and its link leads to the failed check', async () => {
    const { page } = await open('/nothing');
    await page.route(`${stack.baseUrl}/**`, (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText('We could not reach the service.').waitFor();
    expect(await page.getByRole('alert').textContent()).not.toMatch(/change|automatically/);
    await page.getByRole('link', { name: 'See what does not work' }).click();
    await page.getByRole('status').getByText('1 check failed.').waitFor();
    const failed = page.getByRole('listitem').filter({ hasText: 'Does not work' });
    expect(await failed.textContent()).toMatch(/^Address/);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('status').getByText('Everything works.').waitFor();
  });

  test('for a tenant without paid keys and a subscription, the billing page and the status page use the same words', async () => {
    const tenant = await makeTenant(stack, 'none');
    await tenant.createKey('free');
    const { page } = await openAs(tenant, '/status');
    const finding = page.getByRole('listitem').filter({ hasText: /^Billing OK/ });
    const words = 'There is no subscription. Free keys work. Paid keys need a subscription.';
    await finding.getByText(words, { exact: true }).waitFor();
    await goTo(page, 'Billing');
    await page.getByText(words, { exact: true }).waitFor();
    expect(await page.getByText('Billing is not in good standing.').count()).toBe(0);
  });

  /** Waits until `ticks` of the first steps are ticked off. */
  const expectTicks = (page: Page, ticks: number) => expect.poll(() => page.getByText('✓ done').count()).toBe(ticks);

  test('the first steps are ticked off as they are done, and can be hidden', async () => {
    const { tenant, page } = await openAsOwner();
    await page.getByText('Encrypt something in three steps').waitFor();
    await expectTicks(page, 1);
    const key = await tenant.createKey('free');
    await expectTicks(page, 2);
    await tenant.api.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: 'SGVsbG8=' });
    await expectTicks(page, 3);
    await page.getByRole('img', { name: /1 operation in/ }).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Hide these steps' }).click();
    await expectTicks(page, 0);
  });

  test('the second of the first steps opens the dialog with the actions encrypt and decrypt selected', async () => {
    const tenant = await makeTenant(stack);
    await tenant.createKey('free');
    await tenant.console.send('DELETE', `/v1/api-keys/${tenant.apiKeyId}`);
    const { page } = await openAs(tenant);
    await page.getByRole('link', { name: 'Create API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This API key can encrypt and decrypt with every key').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await openDialog(page, 'Create API key');
    await dialog.getByText('This API key cannot do anything yet.').waitFor();
  });

  test('first steps that were done outside the console are shown as done on the next visit, and hidden on later visits', async () => {
    const { tenant, page } = await openAsOwner();
    await page.getByText('Encrypt something in three steps').waitFor();
    await goTo(page, 'Keys');
    const key = await tenant.createKey('free');
    await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {});
    await goTo(page, 'Overview');
    await expectTicks(page, 3);
    await page.getByText('You encrypted your first value').waitFor();
    await goTo(page, 'Keys');
    await goTo(page, 'Overview');
    await page.getByRole('img', { name: /1 operation in/ }).waitFor({ timeout: 60_000 });
    await expectTicks(page, 0);
  });

  test('the first steps are not shown to a tenant whose operations were in an earlier month', async () => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('free');
    await tenant.api.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: 'SGVsbG8=' });
    await setClock(stack, new Date(Date.now() + 40 * DAY_MS).toISOString());
    const { page } = await openAs(tenant);
    await page.getByRole('img', { name: /: 0 operations in/ }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByText('Encrypt something in three steps').count()).toBe(0);
  });
});
