import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { confirm, goTo, openAs, openConsole, openDialog, signInAs } from '../support/console-page.ts';
import { ownStack } from '../support/own-stack.ts';
import { accept, inviteTo, meOf } from '../support/team.ts';
import { makeTenant, signIn, type Tenant } from '../support/tenant.ts';
import { visit } from './inspect.ts';
import { furnish } from './places.ts';

const stack = ownStack();
const browser = NO_BROWSER === undefined ? await startBrowser() : undefined;
afterAll(() => browser?.close());

/** The names of buttons that change something. */
const CHANGES = /^(Create|Rotate|Rename|Delete|Destroy|Restore|Edit|Revoke|Invite|Change|Remove|Subscribe|Manage)\b/;

describe.skipIf(browser === undefined)(`members (skipped where ${NO_BROWSER ?? 'there is no browser'})`, () => {
  function opened(tenant: Tenant, path: string) {
    if (browser === undefined) throw new Error('no browser');
    return openAs(browser, stack, tenant, path);
  }

  test('two people share a tenant: one invites the other, who sees what was done, is refused when their role is lowered, and is removed', async () => {
    if (browser === undefined) return;
    const tenant = await makeTenant(stack);
    await tenant.createKey('free');
    await tenant.console.send('POST', '/v1/firewalls', { name: 'office', allowed_ips: ['192.0.2.1'] });
    const { page: hers } = await opened(tenant, '/members');
    await openDialog(hers, 'Rename');
    await hers.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Acme');
    await confirm(hers, 'Save');
    const dialog = await openDialog(hers, 'Invite member');
    await dialog.getByLabel('Role', { exact: true }).selectOption('admin');
    await dialog.getByRole('button', { name: 'Create invitation' }).click();
    const link = (await dialog.getByRole('region', { name: 'Invitation link' }).textContent()) ?? '';
    await confirm(hers, 'Done');
    await hers.getByRole('rowheader', { name: 'admin', exact: true }).waitFor();

    const { page: his, complaints } = await openConsole(browser, stack, link.slice(new URL(link).origin.length));
    await his.getByText('Sign in to see your invitation.').waitFor();
    await signInAs(his, { subject: randomUUID(), name: 'Bob' });
    await his.getByRole('heading', { level: 1, name: 'Join Acme' }).waitFor();
    await his.getByText(/invites you to join Acme as admin/).waitFor();
    await his.getByText(/You are signed in as Bob/).waitFor();
    // Opening the page accepts nothing.
    await his.reload();
    await his.getByRole('button', { name: 'Join', exact: true }).click();
    await his.getByRole('link', { name: 'Acme', exact: true }).waitFor();
    await his.getByText('admin', { exact: true }).waitFor();
    expect(new URL(his.url()).pathname).toBe('/');
    const kept = await his.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}, location.href])');
    expect(kept).not.toContain(new URL(link).hash.slice(1));

    await goTo(his, 'API keys');
    const creation = await openDialog(his, 'Create API key');
    await creation.getByLabel('Name', { exact: true }).fill('batch');
    await creation.getByLabel('decrypt', { exact: true }).check();
    await creation.getByRole('button', { name: 'Create', exact: true }).click();
    await creation.getByLabel('I have stored it').check();
    await confirm(his, 'Done');
    await goTo(his, 'Firewalls');
    await his.getByRole('link', { name: 'office', exact: true }).click();
    const edit = await openDialog(his, 'Edit');
    await edit.getByLabel('Networks', { exact: true }).fill('192.0.2.0/24');
    await confirm(his, 'Save');

    await goTo(hers, 'Audit');
    await hers.getByLabel('Operation', { exact: true }).selectOption({ label: 'All administration' });
    await hers.getByRole('row').filter({ hasText: 'create_key' }).waitFor({ state: 'detached' });
    const row = hers.getByRole('row').nth(1);
    await row.getByText('update_firewall').waitFor();
    await row.getByRole('link', { name: 'Bob', exact: true }).waitFor();
    await row.getByRole('link', { name: 'office', exact: true }).click();
    await hers.getByRole('region', { name: 'Changes' }).getByText('update_firewall').waitFor();

    await goTo(his, 'Keys');
    const refused = await openDialog(his, 'Create key');
    await refused.getByLabel('Name', { exact: true }).fill('orders');
    await goTo(hers, 'Members');
    const change = await openDialog(hers, 'Change role Bob');
    await change.getByLabel('Role', { exact: true }).selectOption('auditor');
    await confirm(hers, 'Save');
    await refused.getByRole('button', { name: 'Create', exact: true }).click();
    await his.getByText(/Your role is auditor/).waitFor();
    await his.getByText('auditor', { exact: true }).waitFor();
    expect(await his.getByRole('button', { name: 'Create key' }).count()).toBe(0);
    await goTo(hers, 'Audit');
    await hers.getByRole('row').filter({ hasText: 'role_not_allowed' }).getByText('Bob').waitFor();

    await goTo(hers, 'Members');
    const removal = await openDialog(hers, 'Remove Bob');
    await removal.getByRole('link', { name: 'batch', exact: true }).waitFor();
    await removal.getByText('decrypt', { exact: true }).waitFor();
    await confirm(hers, 'Remove');
    await hers.getByText('Bob', { exact: true }).waitFor({ state: 'detached' });
    await goTo(his, 'Containers');
    await his.getByText('You are no longer a member of Acme.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('an auditor is offered nothing that changes something, and a link to a dialog says why it is not there', async () => {
    if (browser === undefined) return;
    const { tenant, places } = await furnish(stack);
    const { token } = await inviteTo(tenant, 'auditor');
    const subject = randomUUID();
    await accept(await signIn(stack, subject), token);
    const { page } = await openAs(browser, stack, { subject });
    for (const path of Object.values(places)) {
      await visit(page, path);
      expect.soft(await page.getByRole('dialog').count(), path).toBe(0);
      const refusals = await page.getByText('Your role is auditor: you can see everything and change nothing.').count();
      expect.soft(refusals, path).toBe(path.includes('?do=') ? 1 : 0);
      const offered = await page.locator('main').getByRole('button').allInnerTexts();
      expect
        .soft(
          offered.filter((name) => CHANGES.test(name)),
          path,
        )
        .toEqual([]);
    }
  });

  test('who leaves has an empty tenant again; the only owner is told why they cannot', async () => {
    if (browser === undefined) return;
    const tenant = await makeTenant(stack);
    const { page: hers } = await opened(tenant, '/members');
    await openDialog(hers, 'Leave');
    await hers.getByText('You are the only owner.').waitFor();
    await confirm(hers, 'Close');
    const { token } = await inviteTo(tenant, 'admin');
    const subject = randomUUID();
    const session = await signIn(stack, subject);
    await accept(session, token);
    const { page: his } = await openAs(browser, stack, { subject }, '/members');
    await openDialog(his, 'Leave');
    await confirm(his, 'Leave');
    await his.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect((await meOf(session)).role).toBe('owner');
    expect((await meOf(session)).tenant.id).not.toBe(tenant.id);
  });

  test('a revoked invitation says that it does not work, and a tenant in use is not left behind', async () => {
    if (browser === undefined) return;
    const [tenant, other] = [await makeTenant(stack), await makeTenant(stack)];
    const { token } = await inviteTo(tenant, 'auditor', 'for Bob');
    const { page } = await openAs(browser, stack, other, `/join#${token}`);
    await page.getByText('Note: for Bob').waitFor();
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.getByRole('alert').getByText('You cannot join with this account.').waitFor();
    const { page: hers } = await opened(tenant, '/members');
    await openDialog(hers, 'Revoke for Bob');
    await confirm(hers, 'Revoke');
    await hers.getByText('No open invitations.').waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'This invitation does not work' }).waitFor();
  });
});
