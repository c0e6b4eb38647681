import { afterAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { send } from '../support/client.ts';
import { confirm, goTo, openConsole, openDialog, signInAs } from '../support/console-page.ts';
import { read } from '../support/objects.ts';
import { NO_BROWSER, startBrowser } from '../support/programs.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = inject('stack');
const browser = NO_BROWSER === undefined ? await startBrowser() : undefined;
afterAll(() => browser?.close());

test.skipIf(browser === undefined)(
  'a user of the console creates a key and a restricted API key, sees the first operation, and deletes and restores the key',
  async () => {
    if (browser === undefined) return;
    const tenant = await makeTenant(stack);
    const { page, complaints } = await openConsole(browser, stack, '/keys');
    await signInAs(page, tenant);
    expect(new URL(page.url()).pathname).toBe('/keys');

    const creation = await openDialog(page, 'Create key');
    await creation.getByLabel('Name', { exact: true }).fill('orders');
    await creation.getByLabel('Tier', { exact: true }).selectOption('software');
    await confirm(page, 'Create');
    await page.getByRole('link', { name: 'orders', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
    const keyId = new URL(page.url()).pathname.split('/')[2] ?? '';

    await goTo(page, 'API keys');
    const minting = await openDialog(page, 'Create API key');
    await minting.getByLabel('Name', { exact: true }).fill('shop');
    await minting.getByLabel('encrypt', { exact: true }).check();
    await minting.getByRole('group', { name: 'Keys' }).getByLabel('orders', { exact: true }).check();
    await minting.getByRole('button', { name: 'Create', exact: true }).click();
    await minting.getByRole('button', { name: 'Copy', exact: true }).click();
    await minting.getByText('Copied', { exact: true }).waitFor();
    const token = z.string().parse(await page.evaluate('navigator.clipboard.readText()'));
    await minting.getByLabel('I have stored it').check();
    await confirm(page, 'Done');
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor();

    const encrypted = await send('POST', `${stack.baseUrl}/v1/keys/${keyId}/encrypt`, {
      token,
      body: { plaintext: 'SGVsbG8=' },
    });
    read(z.looseObject({ ciphertext: z.string() }), encrypted);
    await goTo(page, 'Overview');
    const figures = page.getByRole('table', { name: 'Operations by day' });
    await figures.getByRole('row', { name: /orders 1$/ }).waitFor();
    await page.getByRole('img', { name: /Operations by day: 1 operation in/ }).waitFor();
    await page
      .getByRole('table', { name: 'Allowance used' })
      .getByRole('row', { name: /^orders 1 / })
      .waitFor();
    await page.getByText(/^Cost( so far|, also for the whole month)$/).waitFor();

    await goTo(page, 'Audit');
    await page.getByLabel('Operation', { exact: true }).selectOption('encrypt');
    await page.getByRole('row', { name: /encrypt success orders shop/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('operation')).toBe('encrypt');

    await goTo(page, 'Keys');
    await page.getByRole('link', { name: 'orders', exact: true }).click();
    const use = page.getByRole('heading', { name: 'How to use it' });
    await use.waitFor();
    await openDialog(page, 'Delete');
    await confirm(page, 'Delete');
    await page.getByText('Pending deletion').waitFor();
    expect(await use.count()).toBe(0);
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  },
);
