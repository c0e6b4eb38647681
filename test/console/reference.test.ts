import { beforeAll, expect, test } from 'vitest';
import { ownConsole } from '../support/console-page.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';
import { inspect, visit } from './inspect.ts';

const { stack, describeConsole, openAs } = ownConsole();

describeConsole('the API reference', () => {
  let tenant: Tenant;
  let orders: string;
  let invoices: string;
  beforeAll(async () => {
    tenant = await makeTenant(stack);
    orders = await tenant.createKey('wrapped', 'orders');
    invoices = await tenant.createKey('wrapped', 'invoices 2026');
  });

  test('the API reference is loaded only when it is opened', async () => {
    const { page, complaints } = await openAs(tenant);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await visit(page, '/keys');
    expect(loaded.filter((path) => path.startsWith('/assets/reference-'))).toEqual([]);
    const before = loaded.length;
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('heading', { level: 3, name: 'Create a key', exact: true }).waitFor();
    const scripts = loaded.slice(before).filter((path) => path.endsWith('.js'));
    expect(scripts).toEqual([expect.stringMatching(/^\/assets\/reference-[^/]+\.js$/)]);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['destroy', 'Destroy a key immediately (cannot be undone)'],
    ['post /v1/firewalls', 'Create a firewall'],
    ['batch_input decrypt', 'Transit: decrypt a value or a batch'],
    ['invalid_dek_length', 'Wrap a data key'],
  ])('a search for %s finds operations by title, path, fields and error codes', async (wanted, title) => {
    const { page } = await openAs(tenant, '/reference');
    await page.getByRole('searchbox').fill(wanted);
    await page
      .getByRole('status')
      .getByText(/ of \d+ operations/)
      .waitFor();
    await page.getByRole('heading', { level: 3, name: title }).waitFor();
    expect(await page.getByRole('heading', { level: 3, name: 'List members' }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('q')).toBe(wanted);
  });

  test('the examples in the API reference use the person’s first key, or the key that the person selects', async () => {
    const { page } = await openAs(tenant, '/reference');
    // The examples have the key once the keys have been read.
    await page.getByLabel('Key in the examples').waitFor();
    const example = async (id: string) => {
      const opened = page.locator(`#${id}`);
      if ((await opened.getAttribute('open')) === null) await opened.locator('summary').click();
      await opened.locator('pre').first().waitFor();
      return opened.locator('pre').allInnerTexts();
    };
    expect(await example('get_key')).toEqual([
      expect.stringContaining(`"${stack.baseUrl}/v1/keys/${orders}"`),
      `const key = await service.getKey('${orders}');`,
    ]);
    await page.getByLabel('Key in the examples').selectOption('invoices 2026');
    expect((await example('get_key'))[1]).toContain(invoices);
    expect((await example('transit_get_key'))[0]).toContain('/v1/transit/keys/invoices%202026');
    await page.locator('#get_key').getByRole('button', { name: 'Copy this line: TypeScript' }).click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain(invoices);
  });

  test('a link to an operation opens the operation, and a link to an error code shows the code even if a search hides it', async () => {
    const { page } = await openAs(tenant, '/reference#create_key');
    await page.locator('#create_key pre').first().waitFor();
    await page.getByRole('searchbox').fill('create a key');
    await page.locator('#create_key').getByRole('link', { name: 'key_exists', exact: true }).click();
    await page.locator('#key_exists').waitFor();
    await expect
      .poll(() =>
        page.evaluate<boolean>('document.querySelector("#key_exists").getBoundingClientRect().top < innerHeight'),
      )
      .toBe(true);
    expect(page.url()).toContain('/reference#key_exists');
  });

  test('an operation can be found and opened by keyboard, and passes the axe accessibility checks', async () => {
    const { page } = await openAs(tenant, '/reference');
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('encrypt a value');
    await page.locator('#encrypt summary').focus();
    await page.keyboard.press('Enter');
    await page.locator('#encrypt pre').first().waitFor();
    await inspect(page, 'opened operation');
    await visit(page, '/reference#error-codes');
    await inspect(page, 'reference');
  });
});
