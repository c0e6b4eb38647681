import { Argument, Option } from 'commander';
import { ROLES } from '../../api/generated.ts';
import type { Role } from '../../types.ts';
import type { Command } from '../command.ts';
import { confirmByYes, requireConfirmable } from '../confirm.ts';
import { findMember, userId } from '../find.ts';
import { jsonOption } from '../options.ts';
import { type Format, printChanged, printRows, printToken } from '../print.ts';
import { type Connected, withService } from '../service.ts';
import { requireOutput } from '../standard-output.ts';
import { tell } from '../terminal.ts';

interface Invited extends Format {
  readonly role: Role;
  readonly note?: string;
}

const MEMBER = 'User ID or email address of the member';
const SHOWN = ['email', 'name', 'role', 'joined_at', 'user_id'];
const INVITATION_SHOWN = ['role', 'note', 'created_at', 'expires_at', 'created_by', 'id'];

export function addMembers(program: Command): void {
  const members = program.command('members').description('Manage members and invitations (requires esk login)');
  members
    .command('list')
    .description('List the members of the tenant, oldest first')
    .addOption(jsonOption())
    .action(listMembers);
  members
    .command('invite')
    .description('Create an invitation for one person and print its token, which is shown only once')
    .addOption(new Option('--role <role>', 'Role of the new member').choices(ROLES).makeOptionMandatory())
    .option('--note <note>', 'Text that the members and the invited person see')
    .addOption(jsonOption())
    .examples([
      'Invite an auditor; she signs in with esk login, then runs esk join',
      'esk members invite --role auditor --note "Mira, yearly audit" > mira.token',
    ])
    .remarks(`Roles:
  owner    Everything
  admin    Everything except managing members and the subscription
  auditor  Read everything, change nothing

An invitation lasts seven days and is used once. Anyone who has its token can join: send it over a private channel.`)
    .action(invite);
  members
    .command('set-role')
    .description('Change the role of a member; the change applies from their next request')
    .argument('<user>', MEMBER)
    .addArgument(new Argument('<role>', 'New role').choices(ROLES))
    .addOption(jsonOption())
    .examples(['Make a member an admin', 'esk members set-role ada@example.com admin'])
    .action(setRole);
  members
    .command('remove')
    .description('Remove a member, or leave the tenant; API keys keep working')
    .argument('<user>', MEMBER)
    .option('--yes', 'Skip the confirmation')
    .addOption(jsonOption())
    .examples(['Remove a member in a script', 'esk members remove ada@example.com --yes'])
    .action(remove);
  members
    .command('invitations')
    .description('List the invitations that can still be accepted, oldest first')
    .addOption(jsonOption())
    .action(listInvitations);
  members
    .command('revoke')
    .description('Revoke an invitation immediately')
    .argument('<invitation>', 'ID of the invitation')
    .addOption(jsonOption())
    .action(revoke);
}

async function listMembers(options: Format): Promise<void> {
  await withService(async ({ service }) => printRows(await service.listMembers(), options, SHOWN));
}

async function invite({ role, note, ...options }: Invited): Promise<void> {
  requireOutput();
  await withService(async ({ service }) => {
    const invitation = await service.inviteMember({ role, ...(note !== undefined && { note }) });
    await printToken(invitation, options, (id) => service.revokeInvitation(id));
    if (options.json) return;
    const { id, expires_at } = invitation;
    tell(
      `Created invitation ${id} for the role ${role}; it expires at ${expires_at.toISOString()}. Store the token now: it is shown only once.`,
    );
  });
}

async function setRole(user: string, role: Role, options: Format): Promise<void> {
  await withService(async (connected) => {
    const id = await userId(connected, user);
    await printChanged(await connected.service.changeRole(id, role), options);
  });
}

async function remove(user: string, { yes }: { readonly yes?: boolean }): Promise<void> {
  requireConfirmable('esk members remove', yes, 'ends the access of a person');
  await withService(async (connected) => {
    const id = yes ? await userId(connected, user) : await confirmedMember(connected, user);
    await connected.service.removeMember(id);
  });
}

async function confirmedMember(connected: Connected, user: string): Promise<string> {
  const { user_id, email, name, role } = await findMember(connected, user);
  await confirmByYes(
    `This removes the ${role} ${email ?? name ?? user_id} (${user_id}) from the tenant and revokes the invitations that they created.`,
  );
  return user_id;
}

async function listInvitations(options: Format): Promise<void> {
  await withService(async ({ service }) => printRows(await service.listInvitations(), options, INVITATION_SHOWN));
}

async function revoke(invitation: string): Promise<void> {
  await withService(({ service }) => service.revokeInvitation(invitation));
}
