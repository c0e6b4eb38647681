import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { apiKeyAnswer, viewApiKey } from '../../shared/tenancy/api-key.ts';
import { listApiKeys } from '../../shared/tenancy/api-keys.ts';
import { needs } from '../needs.ts';

export const listApiKeysRoute = needs('store').route({
  id: 'list_api_keys',
  method: 'GET',
  path: '/v1/api-keys',
  summary: 'List API keys',
  description: 'Returns all API keys of the tenant that are not revoked. Tokens are not included.',
  tag: 'API keys',
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(apiKeyAnswer).describe('The live API keys of the tenant, oldest first.'),
  isReport: true,
  async handle({ store }, { caller }) {
    return (await listApiKeys(store, caller.tenantId)).map(viewApiKey);
  },
});
