import { afterAll, describe, expect, test } from 'vitest';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { goTo, openAs, openConsole } from '../support/console-page.ts';
import { ownStack } from '../support/own-stack.ts';
import { setFaults } from '../support/steer.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = ownStack();
const browser = NO_BROWSER === undefined ? await startBrowser() : undefined;
afterAll(() => browser?.close());

describe.skipIf(browser === undefined)('the status page', () => {
  test('the status page says what works, which part of the service does not, and what to do', async () => {
    if (browser === undefined) return;
    const { page } = await openAs(browser, stack, await makeTenant(stack), '/status');
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
    if (browser === undefined) return;
    const { page } = await openConsole(browser, stack, '/status');
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
    if (browser === undefined) return;
    const { page } = await openConsole(browser, stack, '/nothing');
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
    if (browser === undefined) return;
    const tenant = await makeTenant(stack, 'none');
    await tenant.createKey('free');
    const { page } = await openAs(browser, stack, tenant, '/status');
    const finding = page.getByRole('listitem').filter({ hasText: /^Billing OK/ });
    const words = 'There is no subscription. Free keys work. Paid keys need a subscription.';
    await finding.getByText(words, { exact: true }).waitFor();
    await goTo(page, 'Billing');
    await page.getByText(words, { exact: true }).waitFor();
    expect(await page.getByText('Billing is not in good standing.').count()).toBe(0);
  });
});
