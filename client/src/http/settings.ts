import type { EncryptionServiceOptions, Fetch } from '../types.ts';
import { dropKept } from '../workload/kept-token.ts';

export interface Settings {
  /** The service's address without a slash at the end. */
  readonly address: string;
  readonly token: () => string | undefined | Promise<string>;
  /** Drops a token that was refused, if it is kept. */
  readonly dropToken: () => void;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

/** Applies the defaults. Throws a `TypeError` for invalid options. */
export function readOptions(options: EncryptionServiceOptions): Settings {
  const { apiKey, accessToken, timeoutMs = 30_000, maxRetries = 8 } = options;
  if (apiKey !== undefined && accessToken !== undefined)
    throw new TypeError('set either apiKey or accessToken, not both');
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0))
    throw new TypeError('maxRetries must be a whole number, 0 or more');
  if (apiKey !== undefined && typeof apiKey !== 'function') requireToken(apiKey, 'apiKey');
  return {
    address: readAddress(options.url, options.allowHttp ?? false),
    token: tokenOf(options),
    dropToken: () => dropKept(apiKey),
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    timeoutMs: readTimeout(timeoutMs),
    maxRetries,
  };
}

function tokenOf({ apiKey, accessToken }: EncryptionServiceOptions): Settings['token'] {
  if (accessToken !== undefined) return async () => requireToken(await accessToken(), 'accessToken');
  return typeof apiKey === 'function' ? async () => requireToken(await apiKey(), 'apiKey') : () => apiKey;
}

/** Returns the timeout. Throws a `TypeError` unless it is a positive number. */
export function readTimeout(timeoutMs: unknown): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return timeoutMs;
  throw new TypeError('timeoutMs must be a positive number');
}

function readAddress(url: string | URL, allowHttp: boolean): string {
  const { protocol, hostname, username, password, search, hash, origin, pathname } = parse(url);
  const isSecure = protocol === 'https:' || (protocol === 'http:' && (allowHttp || isThisMachine(hostname)));
  if (!isSecure) throw new TypeError('url must start with https://; http:// is allowed only for this machine');
  if (username + password + search + hash !== '')
    throw new TypeError('url must not contain a user name, a password, a query or a fragment');
  return `${origin}${pathname}`.replace(/\/$/, '');
}

function parse(url: string | URL): URL {
  try {
    return new URL(url);
  } catch {
    throw new TypeError('url is not a valid URL');
  }
}

function isThisMachine(hostname: string): boolean {
  return /^(.+\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(hostname);
}

/**
 * Returns the token. Throws a `TypeError` if it is invalid, because the error that `fetch` throws for an invalid token
 * contains the token.
 */
function requireToken(token: unknown, name: string): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypeError(`${name} must be a token of visible ASCII characters, without spaces or line breaks`);
}
