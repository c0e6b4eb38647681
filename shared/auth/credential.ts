import type { Config } from '../config.ts';
import { unauthorized } from '../errors.ts';
import { parseToken, type Token } from '../tenancy/token.ts';
import { type IdToken, readIdToken } from './id-token.ts';

export type Credential =
  | { readonly kind: 'api_key'; readonly token: Token }
  | { readonly kind: 'id_token'; readonly idToken: IdToken }
  | { readonly kind: 'access_token'; readonly accessToken: string };

const BEARER = /^Bearer +([^\s,]+)$/i;

/** Returns the Bearer token (RFC 6750 §2.1, spaces as in RFC 9110 §11.4). Throws `unauthorized`. */
export function readBearerToken(authorization: string | undefined): string {
  const [, text] = BEARER.exec(authorization ?? '') ?? [];
  if (text === undefined) throw unauthorized();
  return text;
}

/**
 * A token that begins with `esk_` is an API key's. A JWT of a workload issuer that names an API key is a workload's ID
 * token. Any other token is an access token. Throws `unauthorized`.
 */
export function readCredential(
  authorization: string | undefined,
  config: Pick<Config, 'workloadIssuers' | 'identity'>,
): Credential {
  const text = readBearerToken(authorization);
  if (!text.startsWith('esk_')) {
    const idToken = readIdToken(text, config);
    return idToken === undefined ? { kind: 'access_token', accessToken: text } : { kind: 'id_token', idToken };
  }
  const token = parseToken(text);
  if (token === undefined) throw unauthorized();
  return { kind: 'api_key', token };
}
