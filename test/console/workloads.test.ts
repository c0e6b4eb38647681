import { afterAll, describe, expect, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../emulators/stack/ports.ts';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { list } from '../support/client.ts';
import { confirm, goTo, openAs, openDialog } from '../support/console-page.ts';
import { ownStack } from '../support/own-stack.ts';
import { DAY_MS, HOUR_MS } from '../support/steer.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = ownStack();
const browser = NO_BROWSER === undefined ? await startBrowser() : undefined;
afterAll(() => browser?.close());

describe.skipIf(browser === undefined)('workloads and expiry in the console', () => {
  async function openPage(path: string) {
    if (browser === undefined) throw new Error('no browser');
    const tenant = await makeTenant(stack);
    return { tenant, ...(await openAs(browser, stack, tenant, path)) };
  }

  test.each<[string, Record<string, string>, object]>([
    [
      'GitHub Actions',
      { 'Repository ID': '123456789', Branch: 'main' },
      { repository_id: '123456789', ref: 'refs/heads/main', event_name: 'push' },
    ],
    ['Kubernetes', { Namespace: 'shop', 'Service account': 'backup' }, { sub: 'system:serviceaccount:shop:backup' }],
    ['Google Cloud', { 'Unique ID of the service account': '112233445566778899001' }, { sub: '112233445566778899001' }],
  ])(
    'the form for %s asks for what people know, and shows the claims that it makes of it',
    async (platform, facts, claims) => {
      const { tenant, page } = await openPage('/api-keys');
      const dialog = await openDialog(page, 'Create API key');
      await dialog.getByLabel('Name', { exact: true }).fill('ci');
      await dialog.getByLabel('Add a workload').selectOption({ label: platform });
      for (const [label, value] of Object.entries(facts)) await dialog.getByLabel(label, { exact: true }).fill(value);
      const issuer = workloadIssuerOf(portsOf(stack));
      await dialog.getByLabel('Issuer', { exact: true }).selectOption(issuer);
      const shown = await dialog.getByRole('region', { name: 'The ID token must have these claims' }).textContent();
      expect(JSON.parse(shown ?? '')).toEqual({ issuer, claims });
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
    },
  );

  test('for GitLab, the form needs the issuer and the project, and the branch may be left out', async () => {
    const { page } = await openPage('/api-keys');
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
    if (browser === undefined) throw new Error('no browser');
    const tenant = await makeTenant(stack);
    const { page } = await openAs(browser, stack, tenant, '/');
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
    const { tenant, page } = await openPage('/');
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
