import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { goTo, openAs, openDialog } from '../support/console-page.ts';
import { ownStack } from '../support/own-stack.ts';
import { DAY_MS, setClock } from '../support/steer.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = ownStack();
const browser = NO_BROWSER === undefined ? await startBrowser() : undefined;
afterAll(() => browser?.close());

/** Waits until `ticks` of the first steps are ticked off. */
async function expectTicks(page: Page, ticks: number): Promise<void> {
  await expect.poll(() => page.getByText('✓ done').count()).toBe(ticks);
}

describe.skipIf(browser === undefined)("a new tenant's first steps", () => {
  test('the first steps are ticked off as they are done, and can be hidden', async () => {
    if (browser === undefined) return;
    const tenant = await makeTenant(stack);
    const { page } = await openAs(browser, stack, tenant);
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
    if (browser === undefined) return;
    const tenant = await makeTenant(stack);
    await tenant.createKey('free');
    await tenant.console.send('DELETE', `/v1/api-keys/${tenant.apiKeyId}`);
    const { page } = await openAs(browser, stack, tenant);
    await page.getByRole('link', { name: 'Create API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This API key can encrypt and decrypt with every key').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await openDialog(page, 'Create API key');
    await dialog.getByText('This API key cannot do anything yet.').waitFor();
  });

  test('first steps that were done outside the console are shown as done on the next visit, and hidden on later visits', async () => {
    if (browser === undefined) return;
    const tenant = await makeTenant(stack);
    const { page } = await openAs(browser, stack, tenant);
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
    if (browser === undefined) return;
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('free');
    await tenant.api.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: 'SGVsbG8=' });
    await setClock(stack, new Date(Date.now() + 40 * DAY_MS).toISOString());
    const { page } = await openAs(browser, stack, tenant);
    await page.getByRole('img', { name: /: 0 operations in/ }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByText('Encrypt something in three steps').count()).toBe(0);
  });
});
