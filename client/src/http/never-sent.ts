interface Channels {
  subscribe(name: string, listener: (message: unknown) => void): void;
}

// In a browser, `process` does not exist.
declare const process: { getBuiltinModule?(name: 'node:diagnostics_channel'): Channels } | undefined;

/** Errors of Node's `fetch` that failed to open a connection, TLS handshake included. */
const CONNECT_ERRORS = new WeakSet<object>();
let isNoting = false;

/**
 * Notes which errors of Node's `fetch` are failed connections. The error itself does not say so: a reset during the TLS
 * handshake looks like a reset after the request.
 */
export function noteConnectErrors(): void {
  if (isNoting) return;
  isNoting = true;
  const channels = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:diagnostics_channel');
  channels?.subscribe('undici:client:connectError', (message) => {
    const { error } = Object(message);
    if (isObject(error)) CONNECT_ERRORS.add(error);
  });
}

/** System calls that come before any data is sent. */
const BEFORE_SENDING = new Set<unknown>(['connect', 'getaddrinfo', 'bind']);

/** System calls of a connection, which may have sent the request before they failed, for example as `EHOSTUNREACH`. */
const OF_CONNECTION = new Set<unknown>(['read', 'write']);

/** Codes of a failed connection, for other functions than Node's `fetch`. Browsers report none. */
const CODES = new Set<unknown>([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  // Node reports this code if the server does not use TLS.
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);

/** Messages of errors without a distinctive code. The first is for a blocked port (Fetch Standard §2.9). */
const MESSAGES = new Set<unknown>([
  'bad port',
  'Client network socket disconnected before secure TLS connection was established',
]);

/** More causes than any error has. */
const DEEPEST = 10;

/** Whether it is certain that a failed request was not sent. The error can be of any class and realm. */
export function isNeverSent(error: unknown, depth = 0): boolean {
  if (!isObject(error) || depth > DEEPEST) return false;
  const { code, syscall, message, cause, errors }: Readonly<Record<string, unknown>> = Object(error);
  if (CONNECT_ERRORS.has(error)) return true;
  // Each address of the host failed, or each attempt of the caller's `fetch`.
  if (Array.isArray(errors) && errors.length > 0) return errors.every((one) => isNeverSent(one, depth + 1));
  const hasCode = CODES.has(code) && !OF_CONNECTION.has(syscall);
  const isKnown = BEFORE_SENDING.has(syscall) || hasCode || MESSAGES.has(message);
  return isKnown || isNeverSent(cause, depth + 1);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
