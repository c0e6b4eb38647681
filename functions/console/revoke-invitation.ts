import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { changeRoute } from '../../shared/http/pipeline.ts';
import type { Services } from '../../shared/services.ts';
import { revokeInvitation } from '../../shared/tenancy/invitations.ts';
import { INVITATION } from './targets.ts';

export const revokeInvitationRoute = changeRoute({
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
  handle: (services: Pick<Services, 'store' | 'clock' | 'log'>, { caller, id, record }) =>
    revokeInvitation(services, caller.tenantId, id, record),
});
