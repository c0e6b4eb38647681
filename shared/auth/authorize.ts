import { ApiError } from '../errors.ts';
import type { Action } from '../operations.ts';
import type { Caller } from '../tenancy/caller.ts';
import { factsOf, type Policy, type Resource } from './policy.ts';

/** Throws `action_not_allowed` when the policy denies, `unavailable` when it does not answer; sessions pass. */
export async function refuseForbidden(
  policy: Pick<Policy, 'allows'>,
  caller: Caller,
  action: Action,
  resource: Resource,
): Promise<void> {
  if (caller.kind === 'session' || (await policy.allows(factsOf(caller, resource), action))) return;
  throw new ApiError('action_not_allowed', `this api key was not given the action ${action}`);
}
