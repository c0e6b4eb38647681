import { z } from 'zod';
import { PERSON } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { invitationTokenField } from '../../shared/http/fields.ts';
import { previewInvitation } from '../../shared/tenancy/invitations.ts';
import { roleSchema } from '../../shared/tenancy/role.ts';
import { needs } from '../needs.ts';

const answer = z
  .object({
    tenant_name: z.string().nullable().describe('The name of the tenant, if it has one.'),
    role: roleSchema.describe('The role that the person gets.'),
    note: z.string().nullable().describe('The note of the inviter, if there is one.'),
    invited_by: z
      .object({
        email: z.string().nullable().describe('The email address of the inviter, if known.'),
        name: z.string().nullable().describe('The name of the inviter, if known.'),
      })
      .describe('Who created the invitation.'),
    expires_at: z.iso.datetime().describe('When the invitation expires.'),
  })
  .meta({ id: 'InvitationPreview' });

/** Answers with the same `not_found` whether the token is unknown, malformed, used, revoked or expired. */
export const previewInvitationRoute = needs('store', 'clock').route({
  id: 'preview_invitation',
  method: 'POST',
  path: '/v1/invitations/preview',
  summary: 'Show what an invitation is for',
  description: 'Tells the holder of a token who invites them, to which tenant and with which role. Changes nothing.',
  tag: 'Members',
  admits: PERSON,
  takes: jsonBody(z.object({ token: invitationTokenField })),
  refuses: ['not_found'],
  status: 200,
  answer,
  handle: (services, { input }) => previewInvitation(services, input.token),
});
