import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { actionSchema } from '../../shared/operations.ts';
import { secondsUntil } from '../../shared/tenancy/expiry.ts';
import { tokenPrefix } from '../../shared/tenancy/token.ts';
import { needs } from '../needs.ts';
import { VAULT } from './dialect.ts';
import { envelope, envelopeOf } from './envelope.ts';
import { presentedToken } from './presented-token.ts';

const data = z.object({
  id: z.string().describe('The token that the request sent.'),
  accessor: z.uuid().describe('The ID of the API key.'),
  display_name: z.string().describe('The public part of the token.'),
  policies: z.array(actionSchema).describe('The allowed actions of the API key.'),
  path: z.literal('v1/api-keys').describe('Where API keys are managed.'),
  type: z.literal('service').describe("Vault's name for a token that works until it is revoked."),
  orphan: z.literal(true).describe('Always `true`. API keys have no parent.'),
  renewable: z.literal(false).describe('Always `false`. An expiry cannot be moved with this API.'),
  ttl: z.int().describe('The seconds until the token expires; 0 if it does not expire.'),
  creation_ttl: z.literal(0).describe('Always 0.'),
  explicit_max_ttl: z.literal(0).describe('Always 0.'),
  num_uses: z.literal(0).describe('Always 0. Uses are not limited.'),
  expire_time: z.iso.datetime().nullable().describe('When the token expires; `null` if it does not expire.'),
  entity_id: z.string().describe('Always empty.'),
  meta: z.null().describe('Always `null`.'),
});

export const lookUpSelfRoute = needs('clock').route({
  id: 'transit_lookup_self',
  dialect: VAULT,
  method: 'GET',
  path: '/v1/auth/token/lookup-self',
  summary: 'Transit: look up the token',
  description:
    'Returns the API key of the request in the format of a Vault token. Clients call this route to check their token.',
  tag: 'Transit',
  admits: API_KEY,
  takes: presentedToken,
  status: 200,
  answer: envelopeOf(data),
  async handle({ clock }, { origin, caller, input: token }) {
    const name = `esk_${tokenPrefix(caller.apiKeyId)}`;
    return envelope(origin.requestId, {
      id: token,
      accessor: caller.apiKeyId,
      display_name: name,
      policies: [...caller.allowedActions],
      path: 'v1/api-keys' as const,
      type: 'service' as const,
      orphan: true as const,
      renewable: false as const,
      ttl: secondsUntil(caller.expiresAt, clock),
      creation_ttl: 0 as const,
      explicit_max_ttl: 0 as const,
      num_uses: 0 as const,
      expire_time: caller.expiresAt,
      entity_id: '',
      meta: null,
    });
  },
});
