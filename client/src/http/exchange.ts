export interface Received {
  readonly status: number;
  /** The `Link` header (RFC 8288). */
  readonly link: string | undefined;
  readonly requestId: string | undefined;
  readonly text: string;
}

/** The error for a request that got no complete response. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  /** Whether it is certain that the request did not reach the service. */
  readonly neverSent: boolean;

  constructor(cause: unknown) {
    super('no answer', { cause });
    this.neverSent = chainOf(cause).some(isNeverSent);
  }
}

/**
 * Sends a request. Throws {@link Unanswered} if no complete response arrives. Does not follow redirects, because they
 * could send the credential to another address.
 */
export async function exchange(send: typeof fetch, url: string, request: RequestInit): Promise<Received> {
  try {
    const response = await send(url, { ...request, redirect: 'manual', cache: 'no-store', credentials: 'omit' });
    return {
      status: response.status,
      link: response.headers.get('link') ?? undefined,
      requestId: response.headers.get('x-request-id') ?? undefined,
      text: await response.text(),
    };
  } catch (error) {
    throw new Unanswered(error);
  }
}

/** Node's codes for a failed connection. Browsers report none, so there any failed request may have been sent. */
const NEVER_SENT = new Set([
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

/** The message of Node's fetch for a blocked port (Fetch Standard §2.9). This error has no code. */
const BLOCKED_PORT = 'bad port';

function isNeverSent(error: Error): boolean {
  return error.message === BLOCKED_PORT || ('code' in error && NEVER_SENT.has(String(error.code)));
}

function chainOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : [];
}
