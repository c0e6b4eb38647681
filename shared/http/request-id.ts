import { randomUUID } from 'node:crypto';

const ACCEPTED = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Returns the client's `x-request-id` if it is well-formed, else a new UUID. */
export function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && ACCEPTED.test(header) ? header : randomUUID();
}
