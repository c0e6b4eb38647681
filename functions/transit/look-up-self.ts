import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import { actionSchema } from '../../shared/operations.ts';
import { tokenPrefix } from '../../shared/tenancy/token.ts';
import { VAULT } from './dialect.ts';
import { envelope, envelopeOf } from './envelope.ts';

const data = z.object({
  id: z.string().describe('what the token begins with: the rest is not repeated'),
  accessor: z.uuid().describe("the API key's id"),
  display_name: z.string(),
  policies: z.array(actionSchema).describe("the API key's allowed actions"),
  path: z.literal('v1/api-keys'),
  type: z.literal('service'),
  orphan: z.literal(true),
  renewable: z.literal(false),
  ttl: z.literal(0),
  creation_ttl: z.literal(0),
  explicit_max_ttl: z.literal(0),
  num_uses: z.literal(0),
  expire_time: z.null(),
  entity_id: z.literal(''),
  meta: z.null(),
});

export const lookUpSelfRoute = route({
  id: 'transit_lookup_self',
  dialect: VAULT,
  method: 'GET',
  path: '/v1/auth/token/lookup-self',
  summary: 'Transit: what the token is; an API key does not expire',
  admits: API_KEY,
  takes: nothing,
  status: 200,
  answer: envelopeOf(data),
  async handle(_needs, { origin, caller }) {
    const name = `esk_${tokenPrefix(caller.apiKeyId)}`;
    return envelope(origin.requestId, {
      id: name,
      accessor: caller.apiKeyId,
      display_name: name,
      policies: [...caller.allowedActions],
      path: 'v1/api-keys' as const,
      type: 'service' as const,
      orphan: true as const,
      renewable: false as const,
      ttl: 0 as const,
      creation_ttl: 0 as const,
      explicit_max_ttl: 0 as const,
      num_uses: 0 as const,
      expire_time: null,
      entity_id: '' as const,
      meta: null,
    });
  },
});
