import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { Services } from '../../shared/services.ts';
import { invitationAnswer, listInvitations, viewInvitation } from '../../shared/tenancy/invitations.ts';

export const listInvitationsRoute = route({
  id: 'list_invitations',
  method: 'GET',
  path: '/v1/invitations',
  summary: 'List the open invitations',
  description: 'Returns the invitations that can still be accepted, without their tokens.',
  tag: 'Members',
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(invitationAnswer).describe('Oldest first.'),
  isReport: true,
  handle: async (services: Pick<Services, 'store' | 'clock'>, { caller }) =>
    (await listInvitations(services, caller.tenantId)).map(viewInvitation),
});
