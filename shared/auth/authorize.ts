import { ApiError } from '../errors.ts';
import type { Action } from '../operations.ts';
import type { ApiKeyCaller, SessionCaller } from '../tenancy/caller.ts';
import { ofApiKey, ofMember, type Policy, type Resource } from './policy.ts';

/** Throws `action_not_allowed` when the policy denies, and `unavailable` when it does not answer. */
export async function refuseAction(
  policy: Pick<Policy, 'allows'>,
  caller: ApiKeyCaller,
  action: Action,
  resource: Resource,
): Promise<void> {
  if (await policy.allows(ofApiKey(caller, resource, action))) return;
  throw new ApiError('action_not_allowed', `this api key does not have the action ${action}`);
}

/** Throws `role_not_allowed` when the policy denies, and `unavailable` when it does not answer. */
export async function refuseRole(
  policy: Pick<Policy, 'allows'>,
  member: SessionCaller,
  operation: string,
): Promise<void> {
  if (await policy.allows(ofMember(member, operation))) return;
  throw new ApiError('role_not_allowed', `your role is ${member.role}, which does not allow this`);
}
