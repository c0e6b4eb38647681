import type { Admission } from '../auth/caller.ts';
import { ERROR_CODES, type ErrorCode } from '../errors.ts';
import type { InputReader } from './input.ts';

/** What a route is about: nothing that its path names, a key that is to be, a key, or another thing of the tenant's. */
export type About = 'nothing' | 'new_key' | 'key' | 'resource';

/** What a deployment may have configured: some refusals come of nothing else. */
export interface Configured {
  readonly identity: unknown;
  readonly billing: unknown;
}

/** What a route says of itself that decides which steps of the pipeline it goes through. */
interface Steps {
  readonly admits: Pick<Admission<unknown>, 'credential'>;
  readonly action?: unknown;
  readonly takes: Pick<InputReader<unknown>, 'refuses'>;
  /** What the steps from 11 on, which are the route's own, refuse with. */
  readonly refuses?: readonly ErrorCode[];
}

/** Every request must name one host; that is looked at before its route. */
export const OF_ANY_REQUEST: readonly ErrorCode[] = ['invalid_request'];

/** Steps 3 and 4, and whatever fails underneath. */
const OF_ANY_CREDENTIAL: readonly ErrorCode[] = [
  'unauthorized',
  'rate_limited',
  'ip_not_allowed',
  'internal_error',
  'unavailable',
];

/** Step 5 */
const OF_KIND: Readonly<Record<Admission<unknown>['credential'], readonly ErrorCode[]>> = {
  either: ['no_tenant'],
  api_key: ['no_tenant', 'api_key_required'],
  console: ['no_tenant', 'session_required'],
  person: ['session_required'],
};

/** What is refused only where the part of the deployment is configured. */
const ONLY_WITH: Partial<Record<ErrorCode, keyof Configured>> = {
  no_tenant: 'identity',
  session_required: 'identity',
  api_key_required: 'identity',
  billing_required: 'billing',
  free_key_exists: 'billing',
};

/** Every code that a route with a credential can answer, its own and the pipeline's, in the order of the catalogue. */
export function refusalsOf({ admits, action, takes, refuses = [] }: Steps, about: About): ErrorCode[] {
  const { credential } = admits;
  const isHeldToKeys = (about === 'key' || about === 'new_key') && credential !== 'console';
  return inOrder([
    ...OF_ANY_REQUEST,
    ...OF_ANY_CREDENTIAL,
    ...OF_KIND[credential],
    ...refusesIf(about === 'key' || about === 'resource', 'not_found'), //  6, 10
    ...refusesIf(isHeldToKeys, 'key_not_allowed'), //                       7
    ...refusesIf(action !== undefined, 'action_not_allowed'), //            8
    ...takes.refuses, //                                                    9
    ...refuses,
  ]);
}

/** Those of the codes that are answered where this is configured. */
export function refusalsWith(codes: readonly ErrorCode[], configured: Configured): ErrorCode[] {
  return codes.filter((code) => {
    const part = ONLY_WITH[code];
    return part === undefined || configured[part] !== undefined;
  });
}

function refusesIf(holds: boolean, code: ErrorCode): ErrorCode[] {
  return holds ? [code] : [];
}

function inOrder(codes: readonly ErrorCode[]): ErrorCode[] {
  return ERROR_CODES.filter((code) => codes.includes(code));
}
