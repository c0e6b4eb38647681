import type { ErrorCode } from '../errors.ts';
import type { Description } from './route.ts';

/** What a deployment may have configured: some routes and refusals come of nothing else. */
export interface Configured {
  readonly identity: unknown;
  readonly billing: unknown;
  readonly transit: boolean;
  readonly sealing: unknown;
}

/** The credentials that only a signed-in person has. */
const OF_PEOPLE: readonly Description['credential'][] = ['console', 'person'];

/** What is refused only where the part of the deployment is configured. */
const ONLY_WITH: Partial<Record<ErrorCode, keyof Configured>> = {
  no_tenant: 'identity',
  session_required: 'identity',
  api_key_required: 'identity',
  billing_required: 'billing',
  free_key_exists: 'billing',
};

/** Whether a route exists where this is configured: without an identity provider nobody could open what takes a session. */
export function exists({ credential }: Description, { identity }: Configured): boolean {
  return identity !== undefined || !OF_PEOPLE.includes(credential);
}

/** Those of the codes that are answered where this is configured. */
export function refusalsWith(codes: readonly ErrorCode[], configured: Configured): ErrorCode[] {
  return codes.filter((code) => {
    const part = ONLY_WITH[code];
    return part === undefined || configured[part] !== undefined;
  });
}
