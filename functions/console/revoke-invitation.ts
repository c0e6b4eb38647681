import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { revokeInvitation } from '../../shared/tenancy/invitations.ts';
import { needs } from '../needs.ts';
import { INVITATION } from './targets.ts';

export const revokeInvitationRoute = needs('store', 'clock', 'log').changeRoute({
  id: 'revoke_invitation',
  operation: 'revoke_invitation',
  method: 'DELETE',
  path: '/v1/invitations/{id}',
  summary: 'Revoke an invitation',
  description: 'Revokes an invitation that was not accepted yet. Its token no longer works.',
  tag: 'Members',
  admits: CONSOLE,
  target: INVITATION,
  takes: nothing,
  status: 204,
  handle: (services, { caller, id, record }) => revokeInvitation(services, caller.tenantId, id, record),
});
