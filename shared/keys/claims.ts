import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { freeKeyClaim, nameClaim } from '../tenancy/claim.ts';
import type { Key } from './key.ts';

/** What a key claims for itself alone: its name in its container, and as a `free` key the tenant's place where billing is configured. */
export function claimsOf(env: Env, key: Key): string[] {
  const name = nameClaim('key', key.container_id, key.name);
  return env.config.billing !== undefined && key.tier === 'free' ? [name, freeKeyClaim(key.tenant_id)] : [name];
}

/** `409 key_exists` */
export function keyExists(): ApiError {
  return new ApiError('key_exists', 'another live key in the container has the name');
}
