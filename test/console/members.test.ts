import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { confirm, goTo, openDialog, ownConsole, signInAs } from '../support/console-page.ts';
import { accept, inviteTo, join, meOf } from '../support/team.ts';
import { makeTenant, signIn } from '../support/tenant.ts';
import { visit } from './inspect.ts';
import { makeSampleTenant, PAGES } from './sample-tenant.ts';

const { stack, describeConsole, open, openAs } = ownConsole();

/** The names of buttons that make changes. */
const CHANGES = /^(Create|Rotate|Rename|Delete|Destroy|Restore|Edit|Revoke|Invite|Change|Remove|Subscribe|Manage)\b/;

describeConsole('members and invitations', () => {
  test('an owner invites a colleague, sees their changes, lowers their role and removes them', async () => {
    const tenant = await makeTenant(stack);
    await tenant.createKey('free');
    await tenant.console.send('POST', '/v1/firewalls', { name: 'office', allowed_ips: ['192.0.2.1'] });
    const { page: ownerPage } = await openAs(tenant, '/members');
    await openDialog(ownerPage, 'Rename');
    await ownerPage.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Acme\u202e');
    await confirm(ownerPage, 'Save');
    const dialog = await openDialog(ownerPage, 'Invite member');
    await dialog.getByLabel('Role', { exact: true }).selectOption('admin');
    await dialog.getByRole('button', { name: 'Create invitation' }).click();
    const link = (await dialog.getByRole('region', { name: 'Invitation link' }).textContent()) ?? '';
    await confirm(ownerPage, 'Done');
    await ownerPage.getByRole('rowheader', { name: 'admin', exact: true }).waitFor();

    const { page: guestPage, complaints } = await open(link.slice(new URL(link).origin.length));
    await guestPage.getByText('Sign in to see your invitation.').waitFor();
    await signInAs(guestPage, { subject: randomUUID(), name: 'Bob' });
    await guestPage.getByRole('heading', { level: 1, name: 'Join Acme<U+202E>' }).waitFor();
    // An invisible character could turn the text after the name around.
    await guestPage.getByText('invites you to join Acme<U+202E> as admin').waitFor();
    await guestPage.getByText(/You are signed in as Bob/).waitFor();
    // Opening the page does not accept the invitation.
    await guestPage.reload();
    await guestPage.getByRole('button', { name: 'Join', exact: true }).click();
    await guestPage.getByRole('link', { name: 'Acme<U+202E>', exact: true }).waitFor();
    await guestPage.getByText('admin', { exact: true }).waitFor();
    expect(new URL(guestPage.url()).pathname).toBe('/');
    const kept = await guestPage.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}, location.href])');
    expect(kept).not.toContain(new URL(link).hash.slice(1));

    await goTo(guestPage, 'API keys');
    const creation = await openDialog(guestPage, 'Create API key');
    await creation.getByLabel('Name', { exact: true }).fill('batch');
    await creation.getByLabel('decrypt', { exact: true }).check();
    await creation.getByRole('button', { name: 'Create', exact: true }).click();
    await creation.getByLabel('I have stored it').check();
    await confirm(guestPage, 'Done');
    await goTo(guestPage, 'Firewalls');
    await guestPage.getByRole('link', { name: 'office', exact: true }).click();
    const edit = await openDialog(guestPage, 'Edit');
    await edit.getByLabel('Networks', { exact: true }).fill('192.0.2.0/24');
    await confirm(guestPage, 'Save');

    await goTo(ownerPage, 'Audit');
    await ownerPage.getByLabel('Operation', { exact: true }).selectOption({ label: 'All administration' });
    await ownerPage.getByRole('row').filter({ hasText: 'create_key' }).waitFor({ state: 'detached' });
    const row = ownerPage.getByRole('row').nth(1);
    await row.getByText('update_firewall').waitFor();
    await row.getByRole('link', { name: 'Bob', exact: true }).waitFor();
    await row.getByRole('link', { name: 'office', exact: true }).click();
    await ownerPage.getByRole('region', { name: 'Changes' }).getByText('update_firewall').waitFor();

    await goTo(guestPage, 'Keys');
    const refused = await openDialog(guestPage, 'Create key');
    await refused.getByLabel('Name', { exact: true }).fill('orders');
    await goTo(ownerPage, 'Members');
    const change = await openDialog(ownerPage, 'Change role Bob');
    await change.getByLabel('Role', { exact: true }).selectOption('auditor');
    await confirm(ownerPage, 'Save');
    await refused.getByRole('button', { name: 'Create', exact: true }).click();
    await guestPage.getByText(/Your role is auditor/).waitFor();
    await guestPage.getByText('auditor', { exact: true }).waitFor();
    expect(await guestPage.getByRole('button', { name: 'Create key' }).count()).toBe(0);
    await goTo(ownerPage, 'Audit');
    await ownerPage.getByRole('row').filter({ hasText: 'role_not_allowed' }).getByText('Bob').waitFor();

    await goTo(ownerPage, 'Members');
    const removal = await openDialog(ownerPage, 'Remove Bob');
    await removal.getByRole('link', { name: 'batch', exact: true }).waitFor();
    await removal.getByText('decrypt', { exact: true }).waitFor();
    await confirm(ownerPage, 'Remove');
    await ownerPage.getByText('Bob', { exact: true }).waitFor({ state: 'detached' });
    await goTo(guestPage, 'Containers');
    await guestPage.getByText('You are no longer a member of Acme<U+202E>.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('an auditor sees no buttons that make changes, and a link to a dialog shows why the dialog is not available', async () => {
    const { tenant, pathOf } = await makeSampleTenant(stack);
    const { token } = await inviteTo(tenant, 'auditor');
    const subject = randomUUID();
    await accept(await signIn(stack, subject), token);
    const { page } = await openAs({ subject });
    for (const path of Object.values(PAGES).map(pathOf)) {
      await visit(page, path);
      expect.soft(await page.getByRole('dialog').count(), path).toBe(0);
      const refusals = await page.getByText('Your role is auditor: you can see everything and change nothing.').count();
      expect.soft(refusals, path).toBe(path.includes('?do=') ? 1 : 0);
      const offered = await page.locator('main').getByRole('button').allInnerTexts();
      expect.soft(offered.filter((name) => CHANGES.test(name)).join(), path).toBe('');
    }
  });

  test('a tenant and a person without names are called unnamed, and the link of the tenant lets an owner name it', async () => {
    const tenant = await makeTenant(stack);
    const { page } = await openAs(tenant, '/keys');
    await page.getByRole('banner').getByText('Unnamed person', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Unnamed tenant', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Acme');
    await confirm(page, 'Save');
    await page.getByRole('link', { name: 'Acme', exact: true }).waitFor();
  });

  test('the dialog to remove a member shows API keys that the member has created since it was last open', async () => {
    const tenant = await makeTenant(stack);
    const { session } = await join(tenant, 'admin', { name: 'Bob' });
    const { page } = await openAs(tenant, '/members');
    const dialog = await openDialog(page, 'Remove Bob');
    await dialog.getByText('They created no API key that still works.').waitFor();
    await confirm(page, 'Cancel');
    await session.send('POST', '/v1/api-keys', { name: 'batch', allowed_actions: ['decrypt'] });
    await openDialog(page, 'Remove Bob');
    await dialog.getByRole('link', { name: 'batch', exact: true }).waitFor();
  });

  test('a member who leaves a tenant gets a new, empty tenant, and the only owner cannot leave', async () => {
    const tenant = await makeTenant(stack);
    const { page: ownerPage } = await openAs(tenant, '/members');
    await openDialog(ownerPage, 'Leave');
    await ownerPage.getByText('You are the only owner.').waitFor();
    await confirm(ownerPage, 'Close');
    const { token } = await inviteTo(tenant, 'admin');
    const subject = randomUUID();
    const session = await signIn(stack, subject);
    await accept(session, token);
    const { page: guestPage } = await openAs({ subject }, '/members');
    await openDialog(guestPage, 'Leave');
    await confirm(guestPage, 'Leave');
    await guestPage.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect((await meOf(session)).role).toBe('owner');
    expect((await meOf(session)).tenant.id).not.toBe(tenant.id);
  });

  test('the page of a revoked invitation says that the invitation was revoked, and a person whose tenant is in use cannot join another tenant', async () => {
    const [tenant, other] = [await makeTenant(stack), await makeTenant(stack)];
    const { token } = await inviteTo(tenant, 'auditor', 'for Bob');
    const { page } = await openAs(other, `/join#${token}`);
    await page.getByText('Note: for Bob').waitFor();
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.getByRole('alert').getByText('You cannot join with this account.').waitFor();
    const { page: ownerPage } = await openAs(tenant, '/members');
    await openDialog(ownerPage, 'Revoke for Bob');
    await confirm(ownerPage, 'Revoke');
    await ownerPage.getByText('No open invitations.').waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'This invitation does not work' }).waitFor();
  });
});
