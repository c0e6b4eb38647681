import { z } from 'zod';
import { type ApiError, CATALOGUE } from '../../shared/errors.ts';
import type { Dialect } from '../../shared/http/dialect.ts';

/** An error as Vault writes one: a line. */
export function errorLine({ code, message }: ApiError): string {
  return `${code}: ${message}`;
}

/** How Vault is spoken to: the token in a header of its own, errors as lines, and no 401: https://developer.hashicorp.com/vault/api-docs#http-status-codes */
export const VAULT: Dialect = {
  prefix: 'transit_',
  under: ['/v1/transit/', '/v1/auth/token/'],
  tokenHeader: 'x-vault-token',
  statusOf: (code) => (code === 'unauthorized' ? 403 : CATALOGUE[code].status),
  view: (error) => ({ errors: [errorLine(error)] }),
  errorAnswer: (codes) => z.object({ errors: z.array(z.string().meta({ pattern: `^(?:${codes.join('|')}): ` })) }),
};
