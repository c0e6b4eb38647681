import type { EncryptionServiceOptions } from '../types.ts';

/** What a connection does every call with. */
export interface Settings {
  /** The service's address without a slash at its end. */
  readonly address: string;
  readonly token: () => string | undefined | Promise<string>;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

/** The options as they are used, with their defaults. Throws a `TypeError` for those that cannot be meant. */
export function readOptions(options: EncryptionServiceOptions): Settings {
  const { apiKey, accessToken, timeoutMs = 30_000, maxRetries = 8 } = options;
  if (apiKey !== undefined && accessToken !== undefined)
    throw new TypeError('apiKey and accessToken exclude each other');
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be more than 0');
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) throw new TypeError('maxRetries must be 0 or more');
  if (apiKey !== undefined) requireToken(apiKey, 'apiKey');
  return {
    address: readAddress(options.url, options.allowHttp ?? false),
    token: accessToken === undefined ? () => apiKey : async () => requireToken(await accessToken(), 'accessToken'),
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    timeoutMs,
    maxRetries,
  };
}

function readAddress(url: string | URL, allowHttp: boolean): string {
  const { protocol, hostname, username, password, search, hash, origin, pathname } = parse(url);
  const isSecure = protocol === 'https:' || (protocol === 'http:' && (allowHttp || isThisMachine(hostname)));
  if (!isSecure) throw new TypeError('url must begin with https://, or with http:// for this machine');
  if (username + password + search + hash !== '') throw new TypeError('url must be an address alone');
  return `${origin}${pathname}`.replace(/\/$/, '');
}

function parse(url: string | URL): URL {
  try {
    return new URL(url);
  } catch {
    throw new TypeError('url is no address');
  }
}

function isThisMachine(hostname: string): boolean {
  return /^(.+\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(hostname);
}

/** Anything but a token would be shown in the error that a header makes of it. */
function requireToken(token: unknown, name: string): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypeError(`${name} must be a token: visible characters alone, no line break at its end`);
}
