import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { invitationAnswer, listInvitations, viewInvitation } from '../../shared/tenancy/invitations.ts';
import { needs } from '../needs.ts';

export const listInvitationsRoute = needs('store', 'clock').route({
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
  handle: async (services, { caller }) => (await listInvitations(services, caller.tenantId)).map(viewInvitation),
});
