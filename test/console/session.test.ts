import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { text } from '../support/client.ts';
import { confirm, goTo, openDialog, ownConsole, signInAs } from '../support/console-page.ts';
import { HOUR_MS, setClock } from '../support/steer.ts';
import { inviteTo } from '../support/team.ts';
import { makeContainer, makeFirewall, makeTenant } from '../support/tenant.ts';

const { stack, describeConsole, openAs, openAsOwner } = ownConsole();

/** Tells the page that it got the focus. The event can make the page navigate, even before this call has returned. */
async function focus(page: Page): Promise<void> {
  const focusing = page.evaluate("void setTimeout(() => dispatchEvent(new Event('focus')))");
  await focusing.catch((error: Error) => {
    if (!error.message.includes('because of a navigation')) throw error;
  });
}

/** Lets the session expire while the page is open, and waits until the page says so. */
async function expire(page: Page): Promise<void> {
  await page.clock.install({ time: Date.now() + HOUR_MS });
  await setClock(stack, new Date(Date.now() + 2 * HOUR_MS).toISOString());
  const refused = page.waitForResponse((response) => response.status() === 401);
  await focus(page);
  await refused;
  await page.getByText('Your session ended.').first().waitFor();
}

describeConsole('sign-in, sessions and outages', () => {
  test('a sign-in leads to the requested page, and a reload keeps the page', async () => {
    const { page, complaints } = await openAsOwner('/audit?operation=encrypt&result=error');
    for (let visit = 0; visit < 2; visit++) {
      await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
      const { pathname, search } = new URL(page.url());
      expect(`${pathname}${search}`).toBe('/audit?operation=encrypt&result=error');
      expect(await page.getByLabel('Operation', { exact: true }).inputValue()).toBe('encrypt');
      await page.reload();
    }
    expect(complaints).toEqual([]);
  });

  test('no token is in the browser’s storage or in the URL', async () => {
    const { page } = await openAsOwner('/');
    const kept = await page.evaluate(
      'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])',
    );
    expect(kept).not.toMatch(/eyJ/);
    expect(kept).toContain('signed-in');
  });

  test('an expired access token is renewed, and the input in an open form is kept', async () => {
    const { page } = await openAsOwner('/keys');
    const dialog = await openDialog(page, 'Create key');
    // The console would not renew a token that it has only just received.
    await page.clock.install({ time: Date.now() + HOUR_MS });
    await dialog.getByLabel('Name', { exact: true }).fill('orders');
    await dialog.getByLabel('Tier', { exact: true }).selectOption('hsm');
    await setClock(stack, new Date(Date.now() + 2 * HOUR_MS).toISOString());
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL(/\/keys\?do=create$/);
    await dialog.waitFor();
    await expect.poll(() => dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('orders');
    await expect.poll(() => dialog.getByLabel('Tier', { exact: true }).inputValue()).toBe('hsm');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: 'orders', exact: true }).waitFor();
  });

  test('a form that is restored after the session was renewed keeps the selected container, keys and firewall', async () => {
    const tenant = await makeTenant(stack);
    const container_id = await makeContainer(tenant);
    const create = async (path: string, body: object) =>
      text(await tenant.console.send('POST', path, { container_id, ...body }), 'id');
    const key = await create('/v1/keys', { name: 'orders', tier: 'free' });
    const firewall_id = await create('/v1/firewalls', { name: 'office', allowed_ips: ['127.0.0.1'] });
    const { page } = await openAs(tenant, '/api-keys');
    const dialog = await openDialog(page, 'Create API key');
    await page.clock.install({ time: Date.now() + HOUR_MS });
    await dialog.getByLabel('Name', { exact: true }).fill('shop');
    await dialog.getByLabel('Container', { exact: true }).selectOption(container_id);
    await dialog.getByRole('button', { name: 'Encrypt only' }).click();
    await dialog.getByRole('group', { name: 'Keys' }).getByLabel('orders', { exact: true }).check();
    await dialog.getByLabel('Firewall', { exact: true }).selectOption(firewall_id);
    await setClock(stack, new Date(Date.now() + 2 * HOUR_MS).toISOString());
    const { promise: shown, resolve: show } = Promise.withResolvers<void>();
    await page.route(/\/v1\/(containers|keys|firewalls)$/, (route) => shown.then(() => route.continue()));
    const back = page.waitForResponse(/\/v1\/me$/);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await back;
    await dialog.waitFor();
    show();
    const container = dialog.getByLabel('Container', { exact: true });
    await container.waitFor();
    expect(await container.inputValue()).toBe(container_id);
    const sent = page.waitForRequest((request) => request.method() === 'POST' && /api-keys$/.test(request.url()));
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const allowed_actions = ['encrypt', 'wrap'];
    expect((await sent).postDataJSON()).toEqual({
      ...{ name: 'shop', container_id, allowed_actions, key_ids: [key], firewall_id },
    });
    await dialog.getByText(/shown only once/).waitFor();
  });

  test('the input in the form of a firewall is not restored if somebody else has changed the firewall since', async () => {
    const tenant = await makeTenant(stack);
    const id = await makeFirewall(tenant, { allowed_ips: ['192.0.2.0/24'] });
    const { page } = await openAs(tenant, `/firewalls/${id}`);
    const dialog = await openDialog(page, 'Edit');
    await page.clock.install({ time: Date.now() + HOUR_MS });
    await dialog.getByLabel('Name', { exact: true }).fill('draft');
    await tenant.console.send('PATCH', `/v1/firewalls/${id}`, { allowed_ips: ['192.0.2.0/26'] });
    await setClock(stack, new Date(Date.now() + 2 * HOUR_MS).toISOString());
    const back = page.waitForResponse(/\/v1\/me$/);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await back;
    expect(await dialog.getByLabel('Networks', { exact: true }).inputValue()).toBe('192.0.2.0/26');
  });

  test('a form is not saved over what somebody else has changed since it was opened', async () => {
    const tenant = await makeTenant(stack);
    const id = await makeFirewall(tenant, { allowed_ips: ['192.0.2.0/24', '198.51.100.0/24'] });
    const { page } = await openAs(tenant, `/firewalls/${id}`);
    const dialog = await openDialog(page, 'Edit');
    await tenant.console.send('PATCH', `/v1/firewalls/${id}`, { allowed_ips: ['192.0.2.0/24'] });
    await dialog.getByLabel('Networks', { exact: true }).fill('192.0.2.0/24\n198.51.100.0/24\n203.0.113.0/24');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('Somebody else has changed this').waitFor();
    expect((await tenant.console.send('GET', `/v1/firewalls/${id}`)).body).toMatchObject({
      allowed_ips: ['192.0.2.0/24'],
    });
  });

  test('unsaved input is kept on a reload, but not for another person', async () => {
    const { page } = await openAsOwner('/containers');
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true });
    await (await openDialog(page, 'Create container')).getByLabel('Name', { exact: true }).fill('staging');
    await page.reload();
    await expect.poll(() => name.inputValue()).toBe('staging');
    await page.context().clearCookies();
    await page.reload();
    await page.getByText('Your session ended.').waitFor();
    const stranger = await makeTenant(stack);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Subject').fill(stranger.subject);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await name.waitFor();
    expect(await name.inputValue()).toBe('');
  });

  test('if the tenant of a person changes in one tab, the other tabs show the new tenant', async () => {
    const { page } = await openAs({ subject: randomUUID() }, '/members');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    const team = await makeTenant(stack);
    const key = await team.createKey('free', 'orders');
    const { token } = await inviteTo(team, 'auditor');
    await page.goto(`${new URL(page.url()).origin}/join#${token}`);
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await other.getByText('You are no longer a member of').waitFor();
    await goTo(other, 'Keys');
    await other.locator(`a[href="/keys/${key}"]`).waitFor();
  });

  test('a confirmation must be typed again after the session was renewed', async () => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey('free', 'orders');
    const { page } = await openAs(tenant, `/keys/${id}?do=destroy`);
    const dialog = page.getByRole('dialog');
    await page.clock.install({ time: Date.now() + HOUR_MS });
    const confirmation = dialog.getByLabel("Type the key's name to confirm");
    await confirmation.fill('orders');
    const back = page.waitForResponse(/\/v1\/me$/);
    await setClock(stack, new Date(Date.now() + 2 * HOUR_MS).toISOString());
    await focus(page);
    await back;
    await page.waitForLoadState('networkidle');
    expect(await confirmation.inputValue()).toBe('');
    expect(await dialog.getByRole('button', { name: 'Destroy now', exact: true }).isDisabled()).toBe(true);
  });

  test('a new API key’s token stays visible when the session expires, and the session is renewed once the dialog is closed', async () => {
    const { page } = await openAsOwner('/api-keys');
    const dialog = await openDialog(page, 'Create API key');
    await dialog.getByLabel('Name', { exact: true }).fill('shop');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText(/shown only once/).waitFor();
    // Wait for the list: while it is loading, the console would not request it again, and no request would be refused.
    await page.locator('main a', { hasText: 'shop' }).waitFor();
    await expire(page);
    await dialog.getByLabel('I have stored it').check();
    await confirm(page, 'Done');
    await page.getByText('Your session ended.').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor();
  });

  test('the link of a new invitation stays visible when the session expires, and the session is renewed once the dialog is closed', async () => {
    const { page } = await openAsOwner('/members');
    const dialog = await openDialog(page, 'Invite member');
    await dialog.getByRole('button', { name: 'Create invitation' }).click();
    await dialog.getByText(/shown only once/).waitFor();
    await page.locator('main').getByRole('rowheader', { name: 'auditor', includeHidden: true }).waitFor();
    await expire(page);
    await dialog.getByText(/shown only once/).waitFor();
    await confirm(page, 'Done');
    await page.getByText('Your session ended.').waitFor({ state: 'detached' });
    await page.getByRole('rowheader', { name: 'auditor', exact: true }).waitFor();
  });

  test('if the identity provider has ended the session, the console asks for a sign-in and then shows the same page again', async () => {
    const { tenant, page } = await openAsOwner('/containers');
    await page.context().clearCookies();
    await page.reload();
    await page.getByText('Your session ended.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/containers');
    await signInAs(page, tenant);
    await page.getByRole('heading', { level: 1, name: 'Containers' }).waitFor();
  });

  test('a sign-out ends the session in every tab, so that another account can sign in, but a failed token request in one tab does not sign out the other tabs', async () => {
    const { page } = await openAsOwner('/keys');
    const other = await page.context().newPage();
    await other.route(/\/token$/, (route) => route.abort());
    await other.goto(page.url());
    await other.getByRole('alert').waitFor();
    // Storage events arrive in order: once `x` has arrived, a sign-out by the other tab would have arrived too.
    await page.evaluate(
      "void (told = new Promise((tell) => addEventListener('storage', ({ key }) => key === 'x' && tell())))",
    );
    await other.evaluate("localStorage.setItem('x', 'y')");
    await page.evaluate('told');
    expect(await page.getByText('You have signed out.').count()).toBe(0);
    await other.unrouteAll();
    await other.getByRole('button', { name: 'Try again' }).click();
    await other.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out.').waitFor();
    await other.getByText('You have signed out.').waitFor();
    const stranger = await makeTenant(stack);
    await signInAs(page, stranger);
    await goTo(page, 'Keys');
    await page.getByText('Your programs encrypt with keys').waitFor();
  });

  test('an outage is shown with a “Try again” button, which loads the page once the service is back', async () => {
    const { page } = await openAsOwner('/');
    await page.route(`${stack.baseUrl}/v1/firewalls`, (route) => route.abort());
    await page.getByRole('navigation').getByRole('link', { name: 'Firewalls' }).click();
    const alert = page.getByRole('alert').first();
    await alert.getByText('We could not reach the service.').waitFor();
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('A firewall is a list of networks').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('if the answer to a rotation is lost, the console does not say that nothing was sent, and shows what the next one does', async () => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey('software', 'orders');
    const { page } = await openAs(tenant, `/keys/${id}`);
    const dialog = await openDialog(page, 'Rotate');
    await dialog
      .getByText(/version 2/i)
      .first()
      .waitFor();
    await page.route(/\/rotate$/, async (route) => {
      await route.fetch();
      await page.context().setOffline(true);
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await dialog.getByText('Your change may have been made.').waitFor();
    await page.context().setOffline(false);
    await dialog
      .getByText(/version 3/i)
      .first()
      .waitFor();
  });

  test('a create form keeps its input during an outage, and its “Try again” button repeats the request', async () => {
    const { page } = await openAsOwner('/containers');
    await page.route(`${stack.baseUrl}/v1/containers`, (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    const dialog = await openDialog(page, 'Create container');
    await dialog.getByLabel('Name', { exact: true }).fill('staging');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await page.unrouteAll();
    await confirm(page, 'Try again');
    await page.getByRole('link', { name: 'staging', exact: true }).waitFor();
  });
});
