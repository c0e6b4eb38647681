import type { IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import type { Share } from './shares.ts';

/** One request as the pipeline sees it. */
export interface Request {
  readonly id: string;
  /** The query string without its question mark. */
  readonly query: string;
  /** The `{id}` of the path, percent-decoded; empty for a route without one. */
  readonly pathId: string;
  readonly message: IncomingMessage;
  /** Whose request it is, as far as that is proved. */
  readonly share: Share;
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
export function clientAddress(message: IncomingMessage, config: Config): string | undefined {
  if (config.trustedProxyHops === 0) return message.socket.remoteAddress;
  const entries = (message.headersDistinct['x-forwarded-for'] ?? []).join(',').split(',');
  return entries.at(-config.trustedProxyHops)?.trim() || undefined;
}
