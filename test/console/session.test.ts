import { afterAll, describe, expect, test } from 'vitest';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { confirm, goTo, openAs, openConsole, openDialog, signInAs } from '../support/console-page.ts';
import { ownStack } from '../support/own-stack.ts';
import { HOUR_MS, setClock } from '../support/steer.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = ownStack();
const browser = NO_BROWSER === undefined ? await startBrowser() : undefined;
afterAll(() => browser?.close());

describe.skipIf(browser === undefined)(`the session (skipped where ${NO_BROWSER ?? 'there is no browser'})`, () => {
  async function openedAs(path: string) {
    if (browser === undefined) throw new Error('no browser');
    const tenant = await makeTenant(stack);
    return { tenant, ...(await openAs(browser, stack, tenant, path)) };
  }

  test('signing in leads to where one wanted to go, and a reload back to the same address', async () => {
    const { page, complaints } = await openedAs('/audit?operation=encrypt&result=error');
    for (let visit = 0; visit < 2; visit++) {
      await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
      const { pathname, search } = new URL(page.url());
      expect(`${pathname}${search}`).toBe('/audit?operation=encrypt&result=error');
      expect(await page.getByLabel('Operation', { exact: true }).inputValue()).toBe('encrypt');
      await page.reload();
    }
    expect(complaints).toEqual([]);
  });

  test('no token is in any storage of the browser, nor in the address', async () => {
    const { page } = await openedAs('/');
    const kept = await page.evaluate(
      'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])',
    );
    expect(kept).not.toMatch(/eyJ/);
    expect(kept).toContain('signed-in');
  });

  test('a token that has expired is renewed, and what was typed is still there', async () => {
    const { page } = await openedAs('/keys');
    const dialog = await openDialog(page, 'Create key');
    // The renewal of a token that is new is not tried again and again.
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

  test('a session that the provider has ended leads to signing in, and back to the same place', async () => {
    const { tenant, page } = await openedAs('/containers');
    await page.context().clearCookies();
    await page.reload();
    await page.getByText('Your session ended.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/containers');
    await signInAs(page, tenant);
    await page.getByRole('heading', { level: 1, name: 'Containers' }).waitFor();
  });

  test('signing out ends it in every tab, and the next sign-in asks who it is', async () => {
    const { page } = await openedAs('/keys');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await other.getByText('You are signed out.').waitFor();
    const stranger = await makeTenant(stack);
    await signInAs(page, stranger);
    await goTo(page, 'Keys');
    await page.getByText('A key encrypts for your programs').waitFor();
  });

  test('an outage is told with what to do, and is over by itself when the service is there again', async () => {
    const { page } = await openedAs('/');
    await page.route(`${stack.baseUrl}/v1/firewalls`, (route) => route.abort());
    await page.getByRole('navigation').getByRole('link', { name: 'Firewalls' }).click();
    const alert = page.getByRole('alert').first();
    await alert.getByText('We could not reach the service.').waitFor();
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('A firewall is a list of networks').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('what a creation needs is still typed after an outage, and Try again does it', async () => {
    const { page } = await openedAs('/containers');
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

  test('a deployment without a provider, and a stranger’s answer, lead to an alert and not to a blank page', async () => {
    if (browser === undefined) return;
    const { page } = await openConsole(browser, stack, '/callback?code=x&state=y');
    await page.getByRole('alert').getByText('Signing in did not work.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });
});
