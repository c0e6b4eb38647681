import type { Tier } from '../../support/tenant.ts';
import { type Actor, isReachable, type ModelKey, RETAINED, record, type Sealed, type World } from './world.ts';

/** An operation on a key: its name in the audit log and the action that it needs. */
export interface Operation {
  readonly name: string;
  readonly action: string | undefined;
}

/** Predicts and records a refusal by the common checks of all operations. Returns the error code, or `null`. */
function guard(world: World, actor: Actor, key: ModelKey, { name, action }: Operation): string | null {
  const reachable = isReachable(actor, key);
  const refuse = (code: string) => (reachable ? record(world, actor, name, key.id, code) : code);
  if (actor.keyIds !== null && !actor.keyIds.includes(key.id)) return refuse('key_not_allowed');
  if (actor.kind === 'api_key' && action !== undefined && !actor.actions.includes(action)) {
    return refuse('action_not_allowed');
  }
  return reachable ? null : 'not_found';
}

/** Predicts and records a change of a key's state. Returns the error code, or `null` after changing the model. */
export function predictChange(world: World, actor: Actor, key: ModelKey, operation: Operation): string | null {
  const refusal = guard(world, actor, key, operation);
  if (refusal !== null) return refusal;
  const note = (code: string | null) => record(world, actor, operation.name, key.id, code);
  const pending = key.state === 'pending_deletion';
  switch (operation.name) {
    case 'delete_key':
      if (pending) return null;
      key.state = 'pending_deletion';
      return note(null);
    case 'restore_key':
      if (!pending) return note('not_pending_deletion');
      key.state = 'active';
      return note(null);
    case 'rotate_key':
      if (pending) return note('key_pending_deletion');
      key.primary += 1;
      return note(null);
    default:
      key.state = 'destroyed';
      return note(null);
  }
}

/** Predicts and records a rename. Returns the error code, or `null`. */
export function predictRename(world: World, actor: Actor, key: ModelKey, name: string): string | null {
  const refusal = guard(world, actor, key, { name: 'rename_key', action: 'rename' });
  if (refusal !== null) return refusal;
  const note = (code: string | null) => record(world, actor, 'rename_key', key.id, code);
  if (key.state === 'pending_deletion') return note('key_pending_deletion');
  if (key.name === name) return null;
  if (isTaken(world, key.container, name)) return note('key_exists');
  key.name = name;
  return note(null);
}

/**
 * Predicts a creation and records only a refusal, because a new key has no id yet. Returns the error code, or `null`.
 */
export function predictCreate(world: World, actor: Actor, tier: Tier, name: string, container: string): string | null {
  const refuse = (code: string) => record(world, actor, 'create_key', null, code);
  if (actor.keyIds !== null) return refuse('key_not_allowed');
  if (actor.kind === 'api_key' && !actor.actions.includes('create')) return refuse('action_not_allowed');
  if (actor.kind === 'api_key' && container !== actor.container) return refuse('invalid_container');
  if (tier !== 'free' && world.standing[actor.tenant] !== true) return refuse('billing_required');
  if (isTaken(world, container, name)) return refuse('key_exists');
  const holdsPlace = (key: ModelKey) => key.tier === 'free' && key.tenant === actor.tenant && key.state !== 'destroyed';
  return tier === 'free' && world.keys.some(holdsPlace) ? refuse('free_key_exists') : null;
}

/** Predicts the outcome of an encryption, and records it. Returns the error code, or `null` for a counted success. */
export function predictEncrypt(world: World, actor: Actor, key: ModelKey): string | null {
  const refusal = guard(world, actor, key, { name: 'encrypt', action: 'encrypt' });
  if (refusal !== null) return refusal;
  const note = (code: string | null) => record(world, actor, 'encrypt', key.id, code);
  if (key.state === 'pending_deletion') return note('key_pending_deletion');
  if (key.tier !== 'free' && world.standing[key.tenant] !== true) return note('billing_required');
  key.ops += 1;
  return note(null);
}

/** Predicts the outcome of a decryption, and records it. Returns the error code, or `null` for a counted success. */
export function predictDecrypt(world: World, actor: Actor, { key, version }: Sealed): string | null {
  const refusal = guard(world, actor, key, { name: 'decrypt', action: 'decrypt' });
  if (refusal !== null) return refusal;
  const note = (code: string | null) => record(world, actor, 'decrypt', key.id, code);
  if (key.state === 'pending_deletion') return note('key_pending_deletion');
  if (version <= key.primary - RETAINED[key.tier]) return note('invalid_ciphertext');
  key.ops += 1;
  return note(null);
}

function isTaken({ keys }: World, container: string, name: string): boolean {
  return keys.some((key) => key.container === container && key.name === name && key.state !== 'destroyed');
}
