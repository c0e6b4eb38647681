import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { actionSchema } from '../../shared/operations.ts';
import { secondsUntil } from '../../shared/tenancy/expiry.ts';
import { needs } from '../needs.ts';
import { VAULT } from './dialect.ts';
import { authEnvelope, authEnvelopeOf } from './envelope.ts';
import { presentedToken } from './presented-token.ts';

const auth = z.object({
  client_token: z.string().describe('The token that the request sent.'),
  accessor: z.uuid().describe('The ID of the API key.'),
  policies: z.array(actionSchema).describe('The allowed actions of the API key.'),
  token_policies: z.array(actionSchema).describe('The same as `policies`.'),
  metadata: z.null().describe('Always `null`.'),
  lease_duration: z.int().describe('The seconds until the token expires; 0 if it does not expire.'),
  renewable: z.literal(false).describe('Always `false`. A renewal does not move the expiry.'),
  entity_id: z.string().describe('Always empty.'),
  token_type: z.literal('service').describe("Vault's name for a token that works until it is revoked."),
  orphan: z.literal(true).describe('Always `true`. API keys have no parent.'),
  num_uses: z.literal(0).describe('Always 0. Uses are not limited.'),
});

export const renewSelfRoute = needs('clock').route({
  id: 'transit_renew_self',
  dialect: VAULT,
  method: 'POST',
  path: '/v1/auth/token/renew-self',
  summary: 'Transit: renew the token (changes nothing)',
  description:
    'Returns the API key of the request in the format of a Vault token renewal. Changes nothing: a renewal does not move the expiry of an API key or an ID token.',
  tag: 'Transit',
  admits: API_KEY,
  takes: presentedToken,
  status: 200,
  answer: authEnvelopeOf(auth),
  async handle({ clock }, { origin, caller, input: token }) {
    return authEnvelope(origin.requestId, {
      client_token: token,
      accessor: caller.apiKeyId,
      policies: [...caller.allowedActions],
      token_policies: [...caller.allowedActions],
      metadata: null,
      lease_duration: secondsUntil(caller.expiresAt, clock),
      renewable: false as const,
      entity_id: '',
      token_type: 'service' as const,
      orphan: true as const,
      num_uses: 0 as const,
    });
  },
});
