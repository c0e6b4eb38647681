import { CONSOLE } from '../../shared/auth/admission.ts';
import { parseId } from '../../shared/base/ids.ts';
import { nothing } from '../../shared/http/input.ts';
import { dismiss } from '../../shared/tenancy/members.ts';
import { needs } from '../needs.ts';
import { MEMBER } from './targets.ts';

export const removeMemberRoute = needs('store', 'log').changeRoute({
  id: 'remove_member',
  operation: 'remove_member',
  method: 'DELETE',
  path: '/v1/members/{id}',
  summary: 'Remove a member, or leave the tenant',
  description:
    'Removes a member, who loses access with their next request, and revokes the invitations that they created. API keys that they created keep working. Every member except the last owner can remove themselves.',
  tag: 'Members',
  admits: CONSOLE,
  target: MEMBER,
  isOwn: ({ userId }, pathId) => userId === parseId(pathId),
  takes: nothing,
  refuses: ['last_owner'],
  status: 204,
  handle: (services, { caller, id, record }) => dismiss(services, caller.tenantId, id, record),
});
