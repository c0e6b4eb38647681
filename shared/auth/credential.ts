import type { Config } from '../config.ts';
import { unauthorized } from '../errors.ts';
import { type Request, singleHeader } from '../http/request.ts';
import { parseToken, type Token } from '../tenancy/token.ts';

/** What a request presents, well-formed and unproved. */
export type Credential =
  | { readonly kind: 'api_key'; readonly token: Token }
  | { readonly kind: 'access_token'; readonly accessToken: string };

const BEARER = /^Bearer +([^\s,]+)$/i;

/** The request's bearer credential (RFC 6750 §2.1, with the spaces of RFC 9110 §11.4). Throws `unauthorized` when it is missing, repeated or malformed. */
export function readCredential(config: Config, request: Request): Credential {
  const [, text] = BEARER.exec(singleHeader(request.message, config.credentialHeader) ?? '') ?? [];
  if (text === undefined) throw unauthorized();
  if (!text.startsWith('esk_')) return { kind: 'access_token', accessToken: text };
  const token = parseToken(text);
  if (token === undefined) throw unauthorized();
  return { kind: 'api_key', token };
}
