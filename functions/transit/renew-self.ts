import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { route } from '../../shared/http/pipeline.ts';
import { actionSchema } from '../../shared/operations.ts';
import { VAULT } from './dialect.ts';
import { authEnvelope, authEnvelopeOf } from './envelope.ts';
import { presentedToken } from './presented-token.ts';

const auth = z.object({
  client_token: z.string().describe('The token that the request sent.'),
  accessor: z.uuid().describe('The ID of the API key.'),
  policies: z.array(actionSchema).describe('The allowed actions of the API key.'),
  token_policies: z.array(actionSchema).describe('The same as `policies`.'),
  metadata: z.null().describe('Always `null`.'),
  lease_duration: z.literal(0).describe('Always 0. API keys do not expire.'),
  renewable: z.literal(false).describe('Always `false`. API keys do not expire.'),
  entity_id: z.string().describe('Always empty.'),
  token_type: z.literal('service').describe("Vault's name for a token that works until it is revoked."),
  orphan: z.literal(true).describe('Always `true`. API keys have no parent.'),
  num_uses: z.literal(0).describe('Always 0. Uses are not limited.'),
});

export const renewSelfRoute = route({
  id: 'transit_renew_self',
  dialect: VAULT,
  method: 'POST',
  path: '/v1/auth/token/renew-self',
  summary: 'Transit: renew the token (it never expires)',
  description:
    'Returns the API key of the request in the format of a Vault token renewal. Changes nothing, because API keys do not expire.',
  tag: 'Transit',
  admits: API_KEY,
  takes: presentedToken,
  status: 200,
  answer: authEnvelopeOf(auth),
  async handle(_needs, { origin, caller, input: token }) {
    return authEnvelope(origin.requestId, {
      client_token: token,
      accessor: caller.apiKeyId,
      policies: [...caller.allowedActions],
      token_policies: [...caller.allowedActions],
      metadata: null,
      lease_duration: 0 as const,
      renewable: false as const,
      entity_id: '',
      token_type: 'service' as const,
      orphan: true as const,
      num_uses: 0 as const,
    });
  },
});
