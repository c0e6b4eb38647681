import type { Admission } from '../auth/admission.ts';
import { ERROR_CODES, type ErrorCode } from '../errors.ts';
import { ACTION_OF, type Operation } from '../operations.ts';
import type { InputReader } from './input.ts';

/** What a route is about: nothing that its path names, a key, or another thing of the tenant's. */
export type About = 'nothing' | 'key' | 'resource';

/** What a route says of itself that decides which steps of the pipeline it goes through. */
interface Steps {
  readonly operation?: Operation;
  readonly admits: Pick<Admission<unknown>, 'credential'>;
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

/** Steps 11 to 14, those of all metered operations. */
export const OF_METERED: readonly ErrorCode[] = [
  'invalid_base64',
  'payload_too_large',
  'key_pending_deletion',
  'ops_cap_reached',
];

/** Every code that a route with a credential can answer, its own and the pipeline's, in the order of the catalogue. */
export function refusalsOf({ operation, admits, takes, refuses = [] }: Steps, about: About): ErrorCode[] {
  const { credential } = admits;
  const isHeldToKeys = about === 'key' && credential !== 'console';
  const takesAction = operation !== undefined && ACTION_OF[operation] !== null;
  return inOrder([
    ...OF_ANY_REQUEST,
    ...OF_ANY_CREDENTIAL,
    ...OF_KIND[credential],
    ...refusesIf(about === 'key' || about === 'resource', 'not_found'), //  6, 10
    ...refusesIf(isHeldToKeys, 'key_not_allowed'), //                       7
    ...refusesIf(takesAction, 'action_not_allowed'), //            8
    ...takes.refuses, //                                                    9
    ...refuses,
  ]);
}

function refusesIf(holds: boolean, code: ErrorCode): ErrorCode[] {
  return holds ? [code] : [];
}

function inOrder(codes: readonly ErrorCode[]): ErrorCode[] {
  return ERROR_CODES.filter((code) => codes.includes(code));
}
