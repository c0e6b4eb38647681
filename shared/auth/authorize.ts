import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import type { Action } from '../tenancy/actions.ts';
import type { Caller } from './caller.ts';
import type { Resource } from './policy.ts';

/**
 * Refuses (`action_not_allowed`) an API key that the policy does not allow the action; `unavailable` without an answer.
 * A console session needs no action.
 */
export async function refuseForbidden(env: Env, caller: Caller, action: Action, resource: Resource): Promise<void> {
  if (caller.kind === 'session' || (await env.policy.allows(caller, action, resource))) return;
  throw new ApiError('action_not_allowed', `this api key was not given the action ${action}`);
}
