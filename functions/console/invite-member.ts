import { z } from 'zod';
import { logWeakening } from '../../shared/audit/log-weakening.ts';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { noteField, roleField } from '../../shared/http/fields.ts';
import { NEW } from '../../shared/http/target.ts';
import { invitationAnswer, invite, viewInvitation } from '../../shared/tenancy/invitations.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { parseRole } from '../../shared/tenancy/role.ts';
import { needs } from '../needs.ts';

const newInvitationAnswer = invitationAnswer
  .extend({ token: z.string().describe('The token that accepts the invitation. It is shown only once.') })
  .meta({ id: 'NewInvitation' });

/** Answers 201. The service stores only a SHA-256 hash of the secret, so it cannot show the token again. */
export const inviteMemberRoute = needs('store', 'clock', 'log').changeRoute({
  id: 'invite_member',
  operation: 'invite_member',
  method: 'POST',
  path: '/v1/invitations',
  summary: 'Invite a person to the tenant',
  description:
    'Creates an invitation for one person, valid for seven days. The response holds its token, which is never shown again: send it to the person.',
  tag: 'Members',
  admits: CONSOLE,
  target: NEW,
  takes: jsonBody(z.object({ role: roleField, note: noteField })),
  refuses: ['invalid_role', 'invalid_name', 'limit_reached'],
  status: 201,
  answer: newInvitationAnswer,
  async handle(services, { origin, caller, input, record }) {
    const role = parseRole(input.role);
    const note = input.note ?? null;
    if (note !== null) refuseName(note, 'note');
    const { invitation, token } = await invite(services, caller, { role, note }, record);
    logWeakening(services, 'member invited', origin, invitation.id);
    return { ...viewInvitation(invitation), token };
  },
});
