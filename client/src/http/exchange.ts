import { isNeverSent, noteConnectErrors } from './never-sent.ts';

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
    this.neverSent = isNeverSent(cause);
  }
}

/**
 * Sends a request. Throws {@link Unanswered} if no complete response arrives. Does not follow redirects, because they
 * could send the credential to another address.
 */
export async function exchange(send: typeof fetch, url: string, request: RequestInit): Promise<Received> {
  noteConnectErrors();
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
