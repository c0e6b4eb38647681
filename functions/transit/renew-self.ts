import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import { actionSchema } from '../../shared/operations.ts';
import { VAULT } from './dialect.ts';
import { authEnvelope, authEnvelopeOf } from './envelope.ts';

const auth = z.object({
  client_token: z.literal('').describe('a token is shown once, when it is made'),
  accessor: z.uuid().describe("the API key's id"),
  policies: z.array(actionSchema),
  token_policies: z.array(actionSchema),
  metadata: z.null(),
  lease_duration: z.literal(0),
  renewable: z.literal(false),
  entity_id: z.literal(''),
  token_type: z.literal('service'),
  orphan: z.literal(true),
  num_uses: z.literal(0),
});

export const renewSelfRoute = route({
  id: 'transit_renew_self',
  dialect: VAULT,
  method: 'POST',
  path: '/v1/auth/token/renew-self',
  summary: 'Transit: say that there is nothing to renew; an API key does not expire',
  admits: API_KEY,
  takes: nothing,
  status: 200,
  answer: authEnvelopeOf(auth),
  async handle(_needs, { origin, caller }) {
    return authEnvelope(origin.requestId, {
      client_token: '' as const,
      accessor: caller.apiKeyId,
      policies: [...caller.allowedActions],
      token_policies: [...caller.allowedActions],
      metadata: null,
      lease_duration: 0 as const,
      renewable: false as const,
      entity_id: '' as const,
      token_type: 'service' as const,
      orphan: true as const,
      num_uses: 0 as const,
    });
  },
});
