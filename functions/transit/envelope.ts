import { z } from 'zod';

/** The fields that Vault adds around an answer's data. The service has no leases or wrapped answers. */
const AROUND = {
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  wrap_info: null,
  warnings: null,
  auth: null,
} as const;

const around = {
  request_id: z.string().describe('Same as the `x-request-id` header of the response.'),
  lease_id: z.literal('').describe('Always empty. There are no leases.'),
  renewable: z.literal(false).describe('Always `false`. There are no leases.'),
  lease_duration: z.literal(0).describe('Always 0. There are no leases.'),
  wrap_info: z.null().describe('Always `null`. Responses are never wrapped.'),
  warnings: z.null().describe('Always `null`.'),
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
export function envelope<Data>(requestId: string, data: Data) {
  return { request_id: requestId, ...AROUND, data };
}

/** An answer about the credential. */
export function authEnvelope<Auth>(requestId: string, auth: Auth) {
  return { request_id: requestId, ...AROUND, data: null, auth };
}
