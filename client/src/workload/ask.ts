import { WorkloadError } from './error.ts';

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
