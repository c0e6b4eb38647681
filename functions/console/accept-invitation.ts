import { z } from 'zod';
import { recordingChange } from '../../shared/audit/record.ts';
import { PERSON } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { invitationTokenField } from '../../shared/http/fields.ts';
import { hasHadKey } from '../../shared/keys/list.ts';
import { acceptInvitation } from '../../shared/tenancy/invitations.ts';
import { needs } from '../needs.ts';
import { meAnswer, viewMe } from './me.ts';

/** Answers like `GET /v1/me`. The audit row belongs to the log of the inviting tenant. */
export const acceptInvitationRoute = needs('store', 'clock', 'log').route({
  id: 'accept_invitation',
  operation: 'accept_invitation',
  method: 'POST',
  path: '/v1/invitations/accept',
  summary: 'Accept an invitation',
  description:
    'Makes the signed-in person a member of the inviting tenant. If they already belong to a tenant, they leave that tenant, which must be empty: it has no other member and no live API key, and never had a key or a subscription.',
  tag: 'Members',
  admits: PERSON,
  takes: jsonBody(z.object({ token: invitationTokenField })),
  refuses: ['not_found', 'already_member', 'limit_reached'],
  status: 200,
  answer: meAnswer,
  async handle(services, { origin: { requestId }, caller, input }) {
    const { store, clock } = services;
    const member = await acceptInvitation(
      services,
      caller.person,
      input.token,
      (id) => hasHadKey(store, id),
      (writes, accepted, id) =>
        recordingChange(clock, { requestId, caller: accepted }, 'accept_invitation')(writes, id),
    );
    return viewMe(services, member);
  },
});
