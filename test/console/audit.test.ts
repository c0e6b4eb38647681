import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { portsOf, workloadIssuerOf } from '../../emulators/stack/ports.ts';
import { goTo, ownConsole } from '../support/console-page.ts';
import { firestoreOf } from '../support/firestore.ts';
import { openSealing } from '../support/sealed-log.ts';
import { MINUTE_MS } from '../support/steer.ts';
import { makeFirewall, makeTenant } from '../support/tenant.ts';

const { stack, describeConsole, openAs } = ownConsole();

async function exportText(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return readFile(await download.path(), 'utf8');
}

const openEvent = (page: Page, operation: RegExp) =>
  page.getByRole('row', { name: operation }).getByRole('button', { expanded: false }).click();

describeConsole('the audit page', () => {
  test('audit filters appear in the URL under their API names, survive a reload, and apply to exports', async () => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('free', 'orders, "new"');
    const { client } = await tenant.mint({ allowed_actions: ['encrypt'] });
    for (let time = 0; time < 3; time++)
      await client.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: 'SGVsbG8=' });
    await client.send('POST', `/v1/keys/${key}/rotate`);
    const { page } = await openAs(tenant, '/audit');
    await page.getByLabel('Key', { exact: true }).selectOption({ label: 'orders, "new"' });
    await page.getByLabel('Result', { exact: true }).selectOption('error');
    await page.getByLabel('Since', { exact: true }).fill('2026-01-01T00:00:00.000001Z');
    await page.waitForURL(/since=/);
    const { searchParams } = new URL(page.url());
    const filters = { key_id: key, result: 'error', since: '2026-01-01T00:00:00.000001Z' };
    expect(Object.fromEntries(searchParams)).toEqual(filters);
    await page.getByText('action_not_allowed').waitFor();
    await page.reload();
    await page.getByText('action_not_allowed').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);

    const answer = await tenant.console.send('GET', `/v1/audit?${searchParams}`);
    expect(JSON.parse(await exportText(page, 'Export JSON'))).toEqual(answer.body);
    const lines = (await exportText(page, 'Export CSV')).split('\r\n');
    expect(lines[0]).toBe(
      'id,ts,operation,result,error_code,request_id,key_id,api_key_id,user_id,target_id,workload,changes',
    );
    expect(lines).toHaveLength(3);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page
      .getByRole('row', { name: /encrypt success/ })
      .first()
      .waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('an opened event shows the changed fields before and after, with names for ids, and its CSV has them as JSON', async () => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('free', 'orders');
    await tenant.console.send('PATCH', `/v1/api-keys/${tenant.apiKeyId}`, { name: 'shop', key_ids: [key] });
    const { page } = await openAs(tenant, '/audit?operation=update_api_key');
    await openEvent(page, /update_api_key/);
    await page.getByRole('row', { name: 'name test → shop' }).waitFor();
    await page.getByRole('row', { name: 'key_ids every key in its container → orders' }).waitFor();
    const changes = [
      { field: 'name', before: 'test', after: 'shop' },
      { field: 'key_ids', before: null, after: [key] },
    ];
    expect(await exportText(page, 'Export CSV')).toContain(`,"${JSON.stringify(changes).replaceAll('"', '""')}"\r\n`);
  });

  test('an opened event shows what no firewall and no expiry mean, and federations as text', async () => {
    const tenant = await makeTenant(stack);
    const issuer = workloadIssuerOf(portsOf(stack));
    const { id } = await tenant.mint({ firewall_id: await makeFirewall(tenant, { name: 'office' }) });
    const federations = ['one', 'two'].map((sub) => ({ issuer, claims: { sub } }));
    const changed = { firewall_id: null, expires_at: '2100-01-01T00:00:00Z', federations };
    expect((await tenant.console.send('PATCH', `/v1/api-keys/${id}`, changed)).status).toBe(200);
    const { page } = await openAs(tenant, `/audit?target_id=${id}`);
    await openEvent(page, /update_api_key/);
    await page.getByRole('row', { name: 'firewall_id office → any address' }).waitFor();
    await page.getByRole('row', { name: 'expires_at never → 2100-01-01T00:00:00.000000Z' }).waitFor();
    const text = `none → ${issuer} (sub = "one"); ${issuer} (sub = "two")`;
    await page.getByRole('row', { name: `federations ${text}` }).waitFor();
    await openEvent(page, /create_api_key/);
    await page.getByRole('row', { name: 'firewall_id office', exact: true }).waitFor();
  });

  test('a double click on “Show more” loads no row twice, the rows stay while the page follows the log, and an export contains all rows', async () => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('free');
    for (let time = 0; time < 119; time++)
      await tenant.api.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: 'SGVsbG8=' });
    const { page } = await openAs(tenant, '/audit');
    const rows = page.getByRole('row');
    const more = page.getByRole('button', { name: 'Show more' });
    await rows.nth(50).waitFor();
    const { promise: clicked, resolve: click } = Promise.withResolvers<void>();
    await page.route(/\/v1\/audit\?.*cursor=/, (route) => clicked.then(() => route.continue()));
    await more.dblclick();
    click();
    await rows.nth(100).waitFor();
    await page.getByLabel('Follow').check();
    await tenant.api.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: 'SGVsbG8=' });
    // The list begins again, with as many rows as were shown.
    await page.waitForResponse(/\/v1\/audit\?.*cursor=/);
    await page.getByLabel('Follow').uncheck();
    await page.waitForLoadState('networkidle');
    await rows.nth(100).waitFor();
    await more.click();
    await more.waitFor({ state: 'detached' });
    const everyEvent = z.array(z.looseObject({ request_id: z.string() }));
    const events = everyEvent.parse(JSON.parse(await exportText(page, 'Export JSON')));
    const shown = await page.evaluate<string[]>(
      "[...document.querySelectorAll('td:last-child code')].map(({ title }) => title)",
    );
    expect(shown).toEqual(events.map(({ request_id }) => request_id));
  });

  test('the audit page shows up to which time the log is sealed, and whether each event is sealed', async () => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('free');
    await openSealing(stack).seal(tenant.id);
    await tenant.api.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: 'SGVsbG8=' });
    const { page } = await openAs(tenant, '/audit');
    await page.getByText('Sealed up to').waitFor();
    await openEvent(page, /encrypt success/);
    await page.getByText('Not sealed yet.').waitFor();
    await openEvent(page, /create_key success/);
    await page.getByText('Sealed in seal 0.').waitFor();
  });

  test('the audit page warns if events have waited more than half an hour for a seal', async () => {
    const tenant = await makeTenant(stack);
    await tenant.createKey('free');
    const { page } = await openAs(tenant, '/');
    await page.clock.setFixedTime(Date.now() + 31 * MINUTE_MS);
    await goTo(page, 'Audit');
    await page.getByRole('alert').getByText('Sealing is late').waitFor();
  });

  test('the warning about late sealing appears even if the browser’s clock is slow', async () => {
    const tenant = await makeTenant(stack);
    await tenant.createKey('free');
    const store = firestoreOf(stack);
    const rows = await store.collection('audit').where('tenant_id', '==', tenant.id).get();
    const ts = new Date(Date.now() + 31 * MINUTE_MS);
    await store.doc(`audit/${crypto.randomUUID()}`).set({ ...rows.docs[0]?.data(), ts });
    await store.terminate();
    const { page } = await openAs(tenant, '/audit');
    await page.getByRole('alert').getByText('Sealing is late').waitFor();
  });
});
