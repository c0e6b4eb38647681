import { afterAll, describe, expect, test } from 'vitest';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { openAs } from '../support/console-page.ts';
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
  });
});
