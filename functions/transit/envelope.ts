import { z } from 'zod';

/** The fields that Vault adds around an answer's data. The service has no leases or wrapped answers. */
const AROUND = {
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  wrap_info: null,
  auth: null,
  mount_type: 'transit',
} as const;

/** What the client should know about a request that succeeded; `null` for nothing. */
export type Warnings = string[] | null;

const around = {
  request_id: z.string().describe('Same as the `x-request-id` header of the response.'),
  lease_id: z.string().describe('Always empty. There are no leases.'),
  renewable: z.literal(false).describe('Always `false`. There are no leases.'),
  lease_duration: z.literal(0).describe('Always 0. There are no leases.'),
  wrap_info: z.null().describe('Always `null`. Responses are never wrapped.'),
  warnings: z
    .array(z.string())
    .nullable()
    .describe('The names of unknown fields, which were ignored, and that a key to create exists already; or `null`.'),
  mount_type: z.literal('transit').describe('Always `transit`.'),
};

/** The schema of an answer with data. */
export function envelopeOf<Data extends z.ZodType>(data: Data) {
  return z.object({ ...around, data: data.describe('The result.'), auth: z.null().describe('Always `null`.') });
}

/** Returns the schema of an answer with its name and example for the OpenAPI document. */
export function namedAnswer<Answer extends z.ZodType>(id: string, answer: Answer, data: object): Answer {
  return answer.meta({ id, examples: [envelope('1c9e6f3a-7b50-4d28-8c14-6e2a9f0b3d87', data)] });
}

/** The schema of an answer about the credential. */
export function authEnvelopeOf<Auth extends z.ZodType>(auth: Auth) {
  return z.object({ ...around, data: z.null().describe('Always `null`.'), auth: auth.describe('The credential.') });
}

/** An answer with data. */
export function envelope<Data>(requestId: string, data: Data, warnings: Warnings = null) {
  return { request_id: requestId, ...AROUND, data, warnings };
}

/** An answer about the credential. */
export function authEnvelope<Auth>(requestId: string, auth: Auth) {
  return { request_id: requestId, ...AROUND, data: null, warnings: null, auth };
}
