import { z } from 'zod';
import { viewInstant, viewOptionalInstant } from '../base/clock.ts';
import { actionSchema } from './actions.ts';
import type { ApiKey } from './api-key.ts';
import { tokenPrefix } from './token.ts';

/** The API key object of the interface. */
export const apiKeyAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string(),
    container_id: z.uuid(),
    allowed_actions: z.array(actionSchema),
    key_ids: z.array(z.uuid()).nullable(),
    firewall_id: z.uuid().nullable(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' });

/** The answer to an API key's creation: the only one that carries the token. */
export const newApiKeyAnswer = apiKeyAnswer.extend({ token: z.string() }).meta({ id: 'NewApiKey' });

/** An API key as its tenant sees it. */
export function viewApiKey(apiKey: ApiKey): z.input<typeof apiKeyAnswer> {
  return {
    id: apiKey.id,
    name: apiKey.name,
    prefix: tokenPrefix(apiKey.id),
    container_id: apiKey.container_id,
    allowed_actions: apiKey.allowed_actions,
    key_ids: apiKey.key_ids,
    firewall_id: apiKey.firewall_id,
    created_at: viewInstant(apiKey.created_at),
    last_used_at: viewOptionalInstant(apiKey.last_used_at),
  };
}
