import type { Fetch, FetchRequest, FetchResponse } from '../types.ts';
import { isNeverSent, noteConnectErrors } from './never-sent.ts';

/** The longest body that is read, in bytes: several times the longest answer of the service. */
const BODY_BYTES = 256 * 1024 * 1024;

export interface Received {
  readonly status: number;
  /** The `Link` header (RFC 8288). */
  readonly link: string | undefined;
  readonly requestId: string | undefined;
  /** The body, or `undefined` if it is longer than any answer of the service. */
  readonly text: string | undefined;
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
export async function exchange(
  send: Fetch,
  url: string,
  request: Pick<FetchRequest, 'method' | 'headers' | 'body' | 'signal'>,
): Promise<Received> {
  noteConnectErrors();
  try {
    const response = await send(url, { ...request, redirect: 'manual', cache: 'no-store', credentials: 'omit' });
    return {
      status: response.status,
      link: response.headers.get('link') ?? undefined,
      requestId: response.headers.get('x-request-id') ?? undefined,
      text: await readText(response),
    };
  } catch (error) {
    throw new Unanswered(error);
  }
}

async function readText({ headers, body }: FetchResponse): Promise<string | undefined> {
  const reader = body?.getReader();
  if (Number(headers.get('content-length')) > BODY_BYTES) return void (await reader?.cancel());
  const decoder = new TextDecoder();
  let [text, length] = ['', 0];
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || value === undefined) return text + decoder.decode();
    length += value.length;
    if (length > BODY_BYTES) return void (await reader?.cancel());
    text += decoder.decode(value, { stream: true });
  }
}
