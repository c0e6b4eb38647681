import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { ApiError, CATALOGUE } from '../../shared/errors.ts';
import type { Dialect } from '../../shared/http/dialect.ts';

export function errorLine({ code, message }: ApiError): string {
  return `${code}: ${message}`;
}

/** Vault's headers that the service does not support, and why. A header with an empty value is ignored. */
const UNSUPPORTED = {
  'X-Vault-Namespace': 'each token belongs to one tenant',
  'X-Vault-Wrap-TTL': 'responses are never wrapped',
};

const LIST_HINT = 'the service cannot read the method LIST: send GET and add ?list=true to the path';

function refuseUnsupported({ headers }: IncomingMessage): void {
  for (const [name, why] of Object.entries(UNSUPPORTED)) {
    if (headers[name.toLowerCase()]) throw new ApiError('invalid_request', `${name} is not supported: ${why}`);
  }
}

/**
 * Vault's format: a token header, errors as a list of lines, and 403 instead of 401
 * (https://developer.hashicorp.com/vault/api-docs#http-status-codes).
 */
export const VAULT: Dialect = {
  prefix: 'transit_',
  under: ['/v1/transit/', '/v1/auth/token/'],
  tokenHeader: 'x-vault-token',
  reading: (reader) => ({
    ...reader,
    async read(request) {
      const input = await reader.read(request);
      refuseUnsupported(request.message);
      return input;
    },
  }),
  unreadable: (method) =>
    method === 'LIST' ? new ApiError('method_not_allowed', LIST_HINT, { allow: ['GET', 'HEAD'] }) : undefined,
  statusOf: (code) => (code === 'unauthorized' ? 403 : CATALOGUE[code].status),
  view: (error) => ({ errors: [errorLine(error)] }),
  errorAnswer: (codes) =>
    z.object({
      errors: z
        .array(z.string().meta({ pattern: `^(?:${codes.join('|')}): ` }))
        .describe('What went wrong. Each line has the error code, then a message for people.'),
    }),
};
