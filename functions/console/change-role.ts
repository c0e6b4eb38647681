import { z } from 'zod';
import { logWeakening } from '../../shared/audit/log-weakening.ts';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { roleField } from '../../shared/http/fields.ts';
import { memberAnswer, setRole, viewMember } from '../../shared/tenancy/members.ts';
import { isRaised } from '../../shared/tenancy/role.ts';
import { needs } from '../needs.ts';
import { MEMBER } from './targets.ts';

export const changeRoleRoute = needs('store', 'log').changeRoute({
  id: 'change_role',
  operation: 'change_role',
  method: 'PATCH',
  path: '/v1/members/{id}',
  summary: 'Change the role of a member',
  description:
    'Changes the role of a member, from their next request on. If an owner loses that role, the invitations that they created are revoked. The last owner must stay an owner.',
  tag: 'Members',
  admits: CONSOLE,
  target: MEMBER,
  takes: jsonBody(z.object({ role: roleField.meta({ examples: ['admin'] }) })),
  refuses: ['invalid_role', 'last_owner'],
  status: 200,
  answer: memberAnswer,
  async handle(services, { origin, caller, id, input, record }) {
    const { before, after } = await setRole(services, caller.tenantId, id, input.role, record);
    if (isRaised({ before: before.role, after: after.role })) logWeakening(services, 'role raised', origin, id);
    return viewMember(after);
  },
});
