import type { IncomingMessage } from 'node:http';
import type { AuthRequest } from '../auth/auth-request.ts';
import type { Config } from '../config.ts';

/** One request as the pipeline sees it. */
export interface Request extends AuthRequest {
  /** The query string without its question mark. */
  readonly query: string;
  /** The `{id}` or `{name}` of the path, percent-decoded; empty for a route without one. */
  readonly pathId: string;
  readonly message: IncomingMessage;
  /** Resolves when the client has taken the whole answer, or the connection is closed. */
  readonly ended: Promise<void>;
}

/** The header that presents the caller's credential, as a bearer's: of the two that a dialect may have, the token's own first. */
export function presentedCredential(
  message: IncomingMessage,
  { credentialHeader }: Pick<Config, 'credentialHeader'>,
  { tokenHeader }: { readonly tokenHeader: string | undefined },
): string | undefined {
  const tokens = tokenHeader === undefined ? [] : (message.headersDistinct[tokenHeader] ?? []);
  if (tokens.every((token) => token === '')) return singleHeader(message, credentialHeader);
  return tokens.length === 1 ? `Bearer ${tokens[0]}` : undefined;
}

/** A header that occurs once, else `undefined`. */
export function singleHeader(message: IncomingMessage, name: string): string | undefined {
  const [value, ...more] = message.headersDistinct[name] ?? [];
  return more.length === 0 ? value : undefined;
}

/**
 * The client's address: the socket's peer, or with `n` trusted proxies in front the entry of X-Forwarded-For that is
 * `n`-th from the right, the only one that they vouch for. Undefined when the list is shorter than that.
 */
export function clientAddress(
  message: IncomingMessage,
  { trustedProxyHops }: Pick<Config, 'trustedProxyHops'>,
): string | undefined {
  if (trustedProxyHops === 0) return message.socket.remoteAddress;
  const entries = (message.headersDistinct['x-forwarded-for'] ?? []).join(',').split(',');
  return entries.at(-trustedProxyHops)?.trim() || undefined;
}
