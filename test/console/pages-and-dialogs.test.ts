import { expect, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../emulators/stack/ports.ts';
import { setSubscription } from '../support/billing.ts';
import { list, text } from '../support/client.ts';
import { confirm, goTo, openDialog, ownConsole } from '../support/console-page.ts';
import { encrypt, rotate } from '../support/operations.ts';
import { DAY_MS, HOUR_MS } from '../support/steer.ts';
import { makeFirewall, makeTenant } from '../support/tenant.ts';

const { stack, describeConsole, openAs, openAsOwner } = ownConsole();

describeConsole('pages and dialogs of the console', () => {
  test('the dialog to rotate a software key names the version that will be retired, and mentions rewrap', async () => {
    const { tenant, page } = await openAsOwner('/keys');
    const id = await tenant.createKey('software');
    const ciphertext = await encrypt(tenant.api, id, 'SGVsbG8=');
    await rotate(tenant.api, id, 2);
    await tenant.api.send('POST', `/v1/keys/${id}/decrypt`, { ciphertext });
    await page.goto(new URL(`/keys/${id}`, page.url()).href);
    await page.getByText('retired by the next rotation').waitFor();
    const dialog = await openDialog(page, 'Rotate');
    await dialog.getByText(/Version 1 will be retired/).waitFor();
    expect(await dialog.textContent()).toMatch(/1 of 2 operations needed an older version/);
    expect(await dialog.textContent()).toMatch(/rewrap/);
    await confirm(page, 'Rotate');
    await page.getByText('Version 4', { exact: true }).waitFor();
  });

  test('the dialogs to rotate a wrapped key and to destroy a key say what is lost and ask for the key’s name', async () => {
    const { tenant, page } = await openAsOwner('/keys');
    const id = await tenant.createKey('wrapped', 'notes');
    await tenant.api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'SGVsbG8=' });
    await page.goto(new URL(`/keys/${id}`, page.url()).href);
    for (const [action, use] of [
      ['Rotate', /this key was used for 1 operation/],
      ['Destroy now', 'This key was used for 1 operation this month'],
    ] as const) {
      const dialog = await openDialog(page, action);
      await dialog.getByText(use).waitFor();
      const button = dialog.getByRole('button', { name: action, exact: true });
      expect(await button.isDisabled()).toBe(true);
      await dialog.getByLabel("Type the key's name to confirm").fill('note');
      expect(await button.isDisabled()).toBe(true);
      await dialog.getByLabel("Type the key's name to confirm").fill('notes');
      await confirm(page, action);
    }
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    expect((await tenant.console.send('GET', `/v1/keys/${id}`)).status).toBe(404);
  });

  test('Freeze is the first action on a key’s page, the pages show that the key is frozen, and Thaw makes it usable', async () => {
    const { tenant, page } = await openAsOwner('/keys');
    const id = await tenant.createKey('software', 'orders');
    await tenant.api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'SGVsbG8=' });
    await page.goto(new URL(`/keys/${id}`, page.url()).href);
    await page.getByRole('button', { name: 'Freeze', exact: true }).waitFor();
    const actions = page.getByRole('button').filter({ hasText: /^(Freeze|Rotate|Rename|Delete|Destroy now)$/ });
    expect(await actions.allTextContents()).toEqual(['Freeze', 'Rotate', 'Rename', 'Delete', 'Destroy now']);
    await (await openDialog(page, 'Freeze')).getByText('Nothing is lost').waitFor();
    await confirm(page, 'Freeze');
    await page.getByText(/^This key is frozen: it can be neither used nor rotated/).waitFor();
    await (await openDialog(page, 'Rotate')).getByText('Thaw it before you rotate it').waitFor();
    await page.keyboard.press('Escape');
    await goTo(page, 'Keys');
    await page.getByRole('row', { name: 'orders' }).getByText('Frozen', { exact: true }).waitFor();
    await goTo(page, 'Overview');
    await page.getByRole('row', { name: 'orders is frozen' }).waitFor();
    await page.getByRole('button', { name: 'Thaw orders' }).click();
    await page.getByRole('button', { name: 'Thaw orders' }).waitFor({ state: 'detached' });
    expect(await tenant.api.send('GET', `/v1/keys/${id}`)).toMatchObject({ body: { frozen_at: null } });
  });

  test('a create form whose request is refused shows the reason and the request id, and keeps its input', async () => {
    const { tenant, page } = await openAsOwner('/keys');
    await tenant.console.send('POST', '/v1/keys', { name: 'orders', tier: 'wrapped' });
    const dialog = await openDialog(page, 'Create key');
    await dialog.getByLabel('Name', { exact: true }).fill('orders');
    await dialog.getByLabel('Tier', { exact: true }).selectOption('hsm');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const alert = dialog.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/A key in this container already has this name.*Request [0-9a-f-]{36}/);
    expect(await dialog.getByLabel('Tier', { exact: true }).inputValue()).toBe('hsm');
    // A retry would not help: the service would refuse the same request again.
    expect(await alert.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await dialog.getByLabel('Name', { exact: true }).fill('orders 2');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: 'orders 2', exact: true }).waitFor();
  });

  test('the Back button asks before it discards what was typed', async () => {
    const { page } = await openAsOwner('/');
    await goTo(page, 'API keys');
    const dialog = await openDialog(page, 'Create API key');
    const name = dialog.getByLabel('Name', { exact: true });
    await name.fill('shop');
    for (const answer of ['Keep editing', 'Discard']) {
      await page.goBack();
      await dialog.getByRole('button', { name: answer, exact: true }).click();
      if (answer === 'Keep editing') expect(await name.inputValue()).toBe('shop');
    }
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/api-keys');
    await page.goBack();
    await page.waitForURL((url) => url.pathname === '/');
  });

  test('after an internal error, the form says that the change may have been made', async () => {
    const { page } = await openAsOwner('/keys');
    const body = {
      error: 'internal_error',
      message: 'internal error',
      request_id: '6f1ed002-ab5e-4a3c-9d57-0c2f8f0a7b11',
    };
    await page.route(`${stack.baseUrl}/v1/keys`, (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 500, json: body }) : route.continue(),
    );
    const dialog = await openDialog(page, 'Create key');
    await dialog.getByLabel('Name', { exact: true }).fill('orders');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('Your change may have been made. Check before you try again.').waitFor();
  });

  test('a form whose lists could not be loaded asks for them again when it is opened again', async () => {
    const { page } = await openAsOwner('/api-keys');
    await page.route(`${stack.baseUrl}/v1/sign-in`, (route) => route.abort());
    const dialog = await openDialog(page, 'Create API key');
    await dialog.getByText('Trying again automatically').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.unrouteAll();
    await openDialog(page, 'Create API key');
    await dialog.getByLabel('Name', { exact: true }).waitFor();
  });

  test('the palette finds a key by its id, and an API key by its token', async () => {
    const { tenant, page } = await openAsOwner('/');
    const id = await tenant.createKey('free', 'orders');
    const { client } = await tenant.mint({ name: 'shop' });
    await goTo(page, 'Keys');
    for (const [text, name] of [
      [id.slice(0, 8), 'orders'],
      [client.token ?? '', 'shop'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(text);
      await page.getByRole('dialog').getByRole('option', { name }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
  });

  test('the list of who can use a key says while the last use is loading, and then when it was or that there was none', async () => {
    const { tenant, page } = await openAsOwner('/keys');
    const id = await tenant.createKey('free', 'orders');
    const other = text(await tenant.console.send('POST', '/v1/keys', { name: 'notes', tier: 'wrapped' }), 'id');
    await tenant.api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'SGVsbG8=' });
    const { promise: shown, resolve: show } = Promise.withResolvers<void>();
    await page.route(/\/v1\/audit\?.*api_key_id=/, (route) => shown.then(() => route.continue()));
    const users = page.getByRole('region', { name: 'Who can use it' });
    await page.goto(new URL(`/keys/${id}`, page.url()).href);
    await users.getByRole('cell', { name: 'Loading…' }).waitFor();
    show();
    await users.getByRole('cell', { name: / ago$|^just now$/ }).waitFor();
    await page.goto(new URL(`/keys/${other}`, page.url()).href);
    await users.getByRole('cell', { name: 'Never', exact: true }).waitFor();
  });

  test('a key can be renamed on its page', async () => {
    const { tenant, page } = await openAsOwner('/keys');
    const id = await tenant.createKey('free');
    await page.goto(new URL(`/keys/${id}`, page.url()).href);
    const dialog = await openDialog(page, 'Rename');
    await dialog.getByLabel('Name', { exact: true }).fill('payroll <b>2026</b>');
    await confirm(page, 'Save');
    await page.getByRole('heading', { level: 1, name: 'payroll <b>2026</b>' }).waitFor();
  });

  test('an API key can be restricted to some actions and to a firewall’s networks, and then edited and revoked', async () => {
    const { tenant, page } = await openAsOwner('/firewalls');
    for (const name of ['orders', 'notes']) await tenant.createKey('wrapped', name);
    let dialog = await openDialog(page, 'Create firewall');
    await dialog.getByLabel('Name', { exact: true }).fill('office');
    await dialog.getByLabel('Networks', { exact: true }).fill('127.0.0.1\n2001:db8::/32');
    await confirm(page, 'Create');
    await page.getByRole('link', { name: 'office', exact: true }).click();
    await page.getByText('Your address, 127.0.0.1, is in these networks.').waitFor();
    await goTo(page, 'API keys');
    dialog = await openDialog(page, 'Create API key');
    await dialog.getByLabel('Name', { exact: true }).fill('shop');
    await dialog.getByLabel('encrypt', { exact: true }).check();
    const list = dialog.getByRole('group', { name: 'Keys' });
    for (const name of ['orders', 'notes', 'orders']) await list.getByText(name, { exact: true }).click();
    await dialog.getByText('This API key can encrypt with notes').waitFor();
    await list.getByText('notes', { exact: true }).click();
    await dialog.getByLabel('Firewall', { exact: true }).selectOption({ label: 'office' });
    await dialog.getByText('This API key can encrypt with every key in its container').waitFor();
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByLabel('I have stored it').check();
    await confirm(page, 'Done');
    await page.getByRole('link', { name: 'shop', exact: true }).click();
    dialog = await openDialog(page, 'Edit');
    await dialog.getByLabel('decrypt', { exact: true }).check();
    await dialog.getByLabel('Firewall', { exact: true }).selectOption('');
    await confirm(page, 'Save');
    await page.getByText('encrypt, decrypt', { exact: true }).waitFor();
    await openDialog(page, 'Revoke');
    await confirm(page, 'Revoke');
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor({ state: 'detached' });
  });

  test('the form to edit an API key waits for its lists, sends only changed fields, and announces that it removes destroyed keys', async () => {
    const { tenant, page } = await openAsOwner('/');
    const make = (name: string) => tenant.createKey('wrapped', name);
    const [orders, notes, gone] = [await make('orders'), await make('notes'), await make('gone')];
    const firewall_id = await makeFirewall(tenant, { allowed_ips: ['127.0.0.1'] });
    const { id } = await tenant.mint({ allowed_actions: ['encrypt'], key_ids: [orders, gone], firewall_id });
    await tenant.console.send('POST', `/v1/keys/${gone}/destroy`);
    const save = async (): Promise<unknown> => {
      const sent = page.waitForRequest((request) => request.method() === 'PATCH');
      await confirm(page, 'Save');
      return (await sent).postDataJSON();
    };

    await page.route(`${stack.baseUrl}/v1/firewalls`, (route) => route.abort());
    await page.goto(new URL(`/api-keys/${id}?do=edit`, page.url()).href);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').getByText('We could not reach the service.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await page.unrouteAll();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByLabel('decrypt', { exact: true }).check();
    expect(await save()).toEqual({ allowed_actions: ['encrypt', 'decrypt'] });

    await openDialog(page, 'Edit');
    const list = dialog.getByRole('group', { name: 'Keys' });
    const names = await list.locator('label:has(:checked)').allTextContents();
    expect(names.map((name) => name.trim())).toEqual(['orders', `destroyed key ${gone.slice(0, 6)}…${gone.slice(-4)}`]);
    await list.getByLabel('notes', { exact: true }).check();
    await dialog.getByText('Saving removes the destroyed key from the list').waitFor();
    expect(await save()).toEqual({ key_ids: [orders, notes] });
    const { body } = await tenant.console.send('GET', `/v1/api-keys/${id}`);
    expect(body).toMatchObject({ allowed_actions: ['encrypt', 'decrypt'], key_ids: [orders, notes], firewall_id });
  });

  test('the console asks for confirmation before the Esc key or closing the page discards a new token, and the Back button keeps the token visible', async () => {
    const { page } = await openAsOwner('/');
    await goTo(page, 'API keys');
    const dialog = await openDialog(page, 'Create API key');
    await dialog.getByLabel('Name', { exact: true }).fill('shop');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText(/shown only once/).waitFor();
    await page.goBack();
    await page.getByText('Overview', { exact: true }).first().waitFor();
    await dialog.getByText(/shown only once/).waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByText(/You have not confirmed that you stored the token/).waitFor();
    const confirmation = page.waitForEvent('dialog');
    await Promise.all([confirmation.then((question) => question.dismiss()), page.close({ runBeforeUnload: true })]);
    expect((await confirmation).type()).toBe('beforeunload');
    await dialog.getByRole('button', { name: 'Close anyway' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('text that the browser refuses to copy is selected instead, and the page says so', async () => {
    const { page } = await openAsOwner('/api-keys');
    const session = await page.context().newCDPSession(page);
    const { browserContextId } = (await session.send('Target.getTargetInfo')).targetInfo;
    await session.send('Browser.setPermission', {
      permission: { name: 'clipboard-write' },
      setting: 'denied',
      ...(browserContextId !== undefined && { browserContextId }),
    });
    const selected = () => page.evaluate<string>('getSelection().toString()');
    const dialog = await openDialog(page, 'Create API key');
    await dialog.getByLabel('Name', { exact: true }).fill('shop');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
    await dialog.getByText('The browser blocked copying.').waitFor();
    expect(await selected()).toBe(await dialog.getByRole('region', { name: 'Token' }).textContent());
    await dialog.getByLabel('I have stored it').check();
    await confirm(page, 'Done');
    await page.getByRole('link', { name: 'shop', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
    const id = new URL(page.url()).pathname.split('/')[2] ?? '';
    await page.getByRole('button', { name: `Copy ${id}` }).click();
    await page.getByText('The browser blocked copying.').waitFor();
    expect(await selected()).toBe(id);
  });

  test('a container can be created, renamed and deleted', async () => {
    const { tenant, page } = await openAsOwner('/containers');
    let dialog = await openDialog(page, 'Create container');
    await dialog.getByLabel('Name', { exact: true }).fill('staging');
    await confirm(page, 'Create');
    await page.getByRole('link', { name: 'staging', exact: true }).click();
    dialog = await openDialog(page, 'Rename');
    await dialog.getByLabel('Name', { exact: true }).fill('test');
    await confirm(page, 'Save');
    await page.getByRole('heading', { level: 1, name: 'test' }).waitFor();
    await openDialog(page, 'Delete');
    await confirm(page, 'Delete');
    await page.getByRole('link', { name: 'default', exact: true }).waitFor();
    const left = list(await tenant.console.send('GET', '/v1/containers'));
    expect(left.map(({ name }) => name)).toEqual(['default']);
  });

  test('the billing page shows the statement’s total and leads to the payment provider, and the overview says when billing has lapsed', async () => {
    const { tenant, page } = await openAsOwner('/billing');
    const key = await tenant.createKey('wrapped');
    await page.reload();
    await page.getByText('Billing is in good standing.').waitFor();
    const total = await page.getByRole('row', { name: /^Total/ }).textContent();
    const cents = text(await tenant.console.send('GET', '/v1/billing/statement'), 'total_cents');
    expect(total).toContain(`$${(Number(cents) / 100).toFixed(2)}`);
    await setSubscription(stack, tenant.id, 'none');
    await page.reload();
    await page.getByText('Billing is not in good standing.').waitFor();
    await tenant.api.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: 'SGVsbG8=' });
    await goTo(page, 'Overview');
    await page.getByText('Your paid keys can decrypt and unwrap').waitFor();
    await page.getByText('1 operation failed in the last 24 hours.').waitFor();
    await goTo(page, 'Billing');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.waitForURL(/127\.0\.0\.1/);
  });

  test('after a payment, the billing page asks until the service knows of it', async () => {
    const tenant = await makeTenant(stack, 'none');
    const { page } = await openAs(tenant, '/billing?checkout=done');
    await page.getByText('The payment is being confirmed').waitFor();
    await setSubscription(stack, tenant.id, 'active');
    await page.getByText('Billing is in good standing.').waitFor();
    await page.getByText('The payment is being confirmed').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });

  test('while API keys cannot be loaded, the page of a firewall does not say that none use it', async () => {
    const tenant = await makeTenant(stack);
    const id = await makeFirewall(tenant);
    const { page } = await openAs(tenant, '/');
    await page.route(`${stack.baseUrl}/v1/api-keys`, (route) => route.abort());
    await page.goto(`${new URL(page.url()).origin}/firewalls/${id}?do=edit`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It is not known yet how many API keys use this firewall.').waitFor();
    await page.unrouteAll();
    await dialog.getByText('No API key uses this firewall.').waitFor();
  });

  test.each<[string, Record<string, string>, object]>([
    [
      'GitHub Actions',
      { 'Repository ID': '123456789', Branch: 'main' },
      { repository_id: '123456789', ref: 'refs/heads/main', event_name: 'push' },
    ],
    ['Kubernetes', { Namespace: 'shop', 'Service account': 'backup' }, { sub: 'system:serviceaccount:shop:backup' }],
    ['Google Cloud', { 'Unique ID of the service account': '112233445566778899001' }, { sub: '112233445566778899001' }],
  ])('the form for %s asks for what people know, and shows its claims', async (platform, facts, claims) => {
    const { tenant, page } = await openAsOwner('/api-keys');
    const dialog = await openDialog(page, 'Create API key');
    await dialog.getByLabel('Name', { exact: true }).fill('ci');
    await dialog.getByLabel('Add a workload').selectOption({ label: platform });
    for (const [label, value] of Object.entries(facts)) await dialog.getByLabel(label, { exact: true }).fill(value);
    const issuer = workloadIssuerOf(portsOf(stack));
    await dialog.getByLabel('Issuer', { exact: true }).selectOption(issuer);
    const shown = await dialog.getByRole('region', { name: 'The ID token must have these claims' }).textContent();
    expect(JSON.parse(shown ?? '')).toEqual({ issuer, claims });
    const add = dialog.getByLabel('Add a workload');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    expect(await add.evaluate((field) => Reflect.get(field, 'validationMessage'))).toContain('Add the workload');
    await dialog.getByRole('button', { name: 'Add workload' }).click();
    await dialog.getByLabel('Make a token').uncheck();
    await confirm(page, 'Create');
    await page.getByRole('link', { name: 'ci', exact: true }).click();
    for (const value of Object.values(claims)) await page.getByText(JSON.stringify(value)).waitFor();
    const made = list(await tenant.console.send('GET', '/v1/api-keys')).find(({ name }) => name === 'ci');
    expect(made).toMatchObject({ has_token: false, federations: [{ issuer, claims }] });
    const edited = await openDialog(page, 'Edit');
    await edited.getByRole('button', { name: 'Remove', exact: true }).click();
    await confirm(page, 'Save');
    await page.getByText('None', { exact: true }).waitFor();
    expect((await tenant.console.send('GET', `/v1/api-keys/${made?.id}`)).body).toMatchObject({ federations: [] });
  });

  test('for GitLab, the form needs the issuer and the project, and the branch may be left out', async () => {
    const { page } = await openAsOwner('/api-keys');
    const dialog = await openDialog(page, 'Create API key');
    await dialog.getByLabel('Add a workload').selectOption({ label: 'GitLab' });
    const add = dialog.getByRole('button', { name: 'Add workload' });
    const claims = dialog.getByRole('region', { name: 'The ID token must have these claims' });
    expect(await add.isDisabled()).toBe(true);
    await dialog.getByLabel('Project ID', { exact: true }).fill('4567');
    expect(await add.isDisabled()).toBe(true);
    expect(await claims.count()).toBe(0);
    await dialog.getByText('The operator does not allow ID tokens of https://gitlab.com.').waitFor();
    await dialog.getByLabel('Issuer', { exact: true }).selectOption(workloadIssuerOf(portsOf(stack)));
    expect(await add.isDisabled()).toBe(false);
    expect(JSON.parse((await claims.textContent()) ?? '').claims).toEqual({ project_id: '4567' });
    await dialog.getByLabel('Branch', { exact: true }).fill('main');
    const onBranch = { project_id: '4567', ref: 'main', ref_type: 'branch', ref_protected: 'true' };
    await expect.poll(async () => JSON.parse((await claims.textContent()) ?? '').claims).toEqual(onBranch);
  });

  test('the issuer of a platform is chosen if the deployment accepts it, and never another one', async () => {
    const { page } = await openAsOwner('/');
    const github = 'https://token.actions.githubusercontent.com';
    await page.route('**/v1/sign-in', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const workload_issuers = [...body.workload_issuers, { issuer: github, claims: ['repository_id'] }];
      await route.fulfill({ response, json: { ...body, workload_issuers } });
    });
    await goTo(page, 'API keys');
    const dialog = await openDialog(page, 'Create API key');
    const issuer = dialog.getByLabel('Issuer', { exact: true });
    for (const [label, value] of [
      ['GitHub Actions', github],
      ['Kubernetes', ''],
      ['Google Cloud', ''],
    ] as const) {
      await dialog.getByLabel('Add a workload').selectOption({ label });
      await expect.poll(() => issuer.inputValue()).toBe(value);
    }
  });

  test('from 14 days before an API key expires, its page, the list and the overview warn', async () => {
    const { tenant, page } = await openAsOwner('/');
    const at = (ms: number) => new Date(Date.now() + ms - HOUR_MS).toISOString();
    const expiring = { name: 'soon', expires_at: at(3 * DAY_MS) };
    await tenant.mint(expiring);
    await tenant.mint({ name: 'late', expires_at: at(16 * DAY_MS) });
    await page.reload();
    await page.getByRole('listitem').filter({ hasText: 'soon' }).getByText('expires in 3 days').waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'late' }).count()).toBe(0);
    await goTo(page, 'API keys');
    await page.getByText('Expires in 3 days', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'soon', exact: true }).click();
    await page.getByText(/This API key expires in 3 days/).waitFor();
    const dialog = await openDialog(page, 'Edit');
    await dialog.getByLabel('Expires', { exact: true }).fill('');
    await confirm(page, 'Save');
    await page.getByText(/This API key expires in/).waitFor({ state: 'detached' });
    const saved = list(await tenant.console.send('GET', '/v1/api-keys')).find(({ name }) => name === 'soon');
    expect(saved?.expires_at).toBeNull();
  });
});
