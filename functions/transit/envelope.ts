import { z } from 'zod';

/** What Vault says around an answer's data. Nothing here is leased, renewed or wrapped. */
const AROUND = {
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  wrap_info: null,
  warnings: null,
  auth: null,
} as const;

const around = {
  request_id: z.string().describe('the x-request-id of the response'),
  lease_id: z.literal(''),
  renewable: z.literal(false),
  lease_duration: z.literal(0),
  wrap_info: z.null(),
  warnings: z.null(),
};

/** The schema of an answer with such data. */
export function envelopeOf<Data extends z.ZodType>(data: Data) {
  return z.object({ ...around, data, auth: z.null() });
}

/** The schema of an answer about the credential. */
export function authEnvelopeOf<Auth extends z.ZodType>(auth: Auth) {
  return z.object({ ...around, data: z.null(), auth });
}

/** An answer with such data. */
export function envelope<Data>(requestId: string, data: Data) {
  return { request_id: requestId, ...AROUND, data };
}

/** An answer about the credential. */
export function authEnvelope<Auth>(requestId: string, auth: Auth) {
  return { request_id: requestId, ...AROUND, data: null, auth };
}
