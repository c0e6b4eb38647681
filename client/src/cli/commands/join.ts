import { text } from 'node:stream/consumers';
import type { InvitationPreview } from '../../types.ts';
import type { Command } from '../command.ts';
import { confirmByYes, requireConfirmable } from '../confirm.ts';
import { EXIT, Failure, wrongUsage } from '../failure.ts';
import { openInput, STANDARD } from '../input.ts';
import { jsonOption } from '../options.ts';
import { type Format, printChanged } from '../print.ts';
import { withService } from '../service.ts';
import { ask, canAsk, tell } from '../terminal.ts';

interface Options extends Format {
  readonly yes?: boolean;
}

/** The pattern of an invitation token. It also finds the token inside a link to the console. */
const TOKEN = /esi_[\w-]{40,}/;

export function addJoin(program: Command): void {
  program
    .command('join')
    .description('Accept an invitation and become a member of its tenant (requires esk login)')
    .argument('<file>', 'File with the token or the link of the invitation; - for standard input')
    .option('--yes', 'Skip the confirmation')
    .addOption(jsonOption())
    .examples(
      ['Join from a file', 'esk login https://api.example.com\nesk join mira.token'],
      ['Paste the token', 'esk join -'],
    )
    .remarks(`You belong to one tenant at a time. You can join another tenant only if your own has no other members and no API keys,
and never had a key or a subscription.`)
    .action(join);
}

async function join(file: string, options: Options): Promise<void> {
  // The error message must not contain a token from the command line.
  if (TOKEN.test(file))
    throw wrongUsage('the argument must be a file, not a token; put the token into a file, or use -');
  requireConfirmable('esk join', options.yes, 'changes your tenant');
  const token = await readToken(file);
  await withService(async ({ service }) => {
    const invitation = describe(await service.previewInvitation(token));
    if (options.yes) tell(invitation);
    else await confirmByYes(invitation);
    const me = await service.acceptInvitation(token);
    const { tenant, role } = me;
    const shown = { tenant: tenant.id, tenant_name: tenant.name, role };
    await printChanged(options.json ? me : shown, options);
  });
}

/**
 * Returns the invitation token in a file. The file may also contain a link with the token. Throws a {@link Failure}.
 */
async function readToken(file: string): Promise<string> {
  const isTyped = file === STANDARD && canAsk();
  const content = isTyped ? await ask('Invitation token or link: ') : await text((await openInput(file)).stream);
  const [token] = TOKEN.exec(content) ?? [];
  if (token !== undefined) return token;
  const where = file === STANDARD ? 'standard input' : file;
  throw new Failure(EXIT.local, 'invalid_invitation', `${where} does not contain an invitation token`);
}

function describe({ invited_by, tenant_name, role, note, expires_at }: InvitationPreview): string {
  const { name, email } = invited_by;
  const inviter = name !== null && email !== null ? `${name} (${email})` : (name ?? email ?? 'Someone');
  const tenant = tenant_name === null ? 'a tenant without a name' : `the tenant ${JSON.stringify(tenant_name)}`;
  const noted = note === null ? '' : ` Note: ${JSON.stringify(note)}.`;
  return `${inviter} invites you to ${tenant} with the role ${role}.${noted} The invitation expires at ${expires_at.toISOString()}.`;
}
