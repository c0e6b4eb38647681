import { WorkloadError } from './error.ts';

export interface WorkloadOptions {
  /** The ID of the API key, a UUID, which becomes the audience of the ID token. */
  readonly apiKeyId: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the audience of ID tokens for the API key. Throws a `TypeError` unless its ID is a UUID. */
export function audienceOf({ apiKeyId }: WorkloadOptions): string {
  const id = String(apiKeyId).toLowerCase();
  if (!UUID.test(id)) throw new TypeError('apiKeyId must be the ID of an API key, a UUID');
  return `urn:uuid:${id}`;
}

const DEADLINE_MS = 10_000;

/** Sends a request to a workload's endpoint. Returns the body. Throws a {@link WorkloadError} unless it answers 200. */
export async function ask(name: string, url: string, headers: Record<string, string>): Promise<string> {
  let status: number;
  let text: string;
  try {
    const response = await globalThis.fetch(url, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    ({ status } = response);
    text = await response.text();
  } catch (error) {
    throw new WorkloadError('unreachable', `${name} did not answer`, error);
  }
  if (status === 200) return text;
  throw new WorkloadError('refused', `${name} answered with HTTP status ${status} instead of an ID token`);
}
