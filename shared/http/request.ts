import type { IncomingMessage } from 'node:http';
import type { AuthRequest } from '../auth/auth-request.ts';
import type { Config } from '../config.ts';

export interface Request extends AuthRequest {
  readonly query: string;
  /** The part of the path that `{id}` or `{name}` matches, percent-decoded, or empty. */
  readonly pathId: string;
  readonly message: IncomingMessage;
  /** Resolves when the client has read the whole answer or the connection is closed. */
  readonly ended: Promise<void>;
}

/** Returns the credential as an `Authorization` header. The dialect's token header has precedence. */
export function presentedCredential(
  message: IncomingMessage,
  { credentialHeader }: Pick<Config, 'credentialHeader'>,
  { tokenHeader }: { readonly tokenHeader: string | undefined },
): string | undefined {
  const tokens = tokenHeader === undefined ? [] : (message.headersDistinct[tokenHeader] ?? []);
  if (tokens.every((token) => token === '')) return singleHeader(message, credentialHeader);
  return tokens.length === 1 ? `Bearer ${tokens[0]}` : undefined;
}

/** Returns a header that occurs exactly once, else `undefined`. */
export function singleHeader(message: IncomingMessage, name: string): string | undefined {
  const [value, ...more] = message.headersDistinct[name] ?? [];
  return more.length === 0 ? value : undefined;
}

/**
 * Returns the client's address. Without a proxy, this is the address of the socket's peer. Behind `n` trusted proxies,
 * it is the `n`-th entry from the right of X-Forwarded-For, or `undefined` if the list is shorter.
 */
export function clientAddress(
  message: IncomingMessage,
  { trustedProxyHops }: Pick<Config, 'trustedProxyHops'>,
): string | undefined {
  if (trustedProxyHops === 0) return message.socket.remoteAddress;
  const entries = (message.headersDistinct['x-forwarded-for'] ?? []).join(',').split(',');
  return entries.at(-trustedProxyHops)?.trim() || undefined;
}
