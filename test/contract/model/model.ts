import type { Tier } from '../../support/tenant.ts';

/** A sender of requests: a session of a tenant, or an API key with its permissions. */
export interface Actor {
  readonly tenant: number;
  readonly kind: 'session' | 'api_key';
  readonly id: string;
  /** The container of the API key; for a session, the default container. */
  readonly container: string;
  actions: readonly string[];
  keyIds: readonly string[] | null;
}

export interface ModelKey {
  readonly id: string;
  readonly tenant: number;
  readonly container: string;
  readonly tier: Tier;
  name: string;
  state: 'active' | 'pending_deletion' | 'destroyed';
  primary: number;
  ops: number;
}

/** A row of the audit log, without the fields that the model cannot predict. */
export interface ModelRow {
  readonly operation: string;
  readonly error_code: string | null;
  readonly key_id: string | null;
  readonly api_key_id: string | null;
  readonly user_id: string | null;
}

export interface Sealed {
  readonly key: ModelKey;
  readonly version: number;
  readonly ciphertext: string;
}

export interface World {
  readonly actors: readonly Actor[];
  readonly keys: ModelKey[];
  readonly sealed: Sealed[];
  /** The audit rows of each tenant, oldest first. */
  readonly rows: readonly ModelRow[][];
  /** For each tenant, whether its billing is in good standing. */
  readonly standing: boolean[];
}

/** The number of versions that stay enabled after a rotation. */
const RETAINED: Readonly<Record<Tier, number>> = { free: 1, wrapped: 1, software: 3, hsm: 2 };

function isReachable(actor: Actor, key: ModelKey): boolean {
  const isInScope = actor.kind === 'session' || key.container === actor.container;
  return key.tenant === actor.tenant && key.state !== 'destroyed' && isInScope;
}

export function visibleKeys({ keys }: World, actor: Actor): ModelKey[] {
  return keys.filter((key) => isReachable(actor, key) && (actor.keyIds === null || actor.keyIds.includes(key.id)));
}

export function record(world: World, actor: Actor, operation: string, keyId: string | null, code: string | null) {
  world.rows[actor.tenant]?.push({
    operation,
    error_code: code,
    key_id: keyId,
    api_key_id: actor.kind === 'api_key' ? actor.id : null,
    user_id: actor.kind === 'session' ? actor.id : null,
  });
  return code;
}

/** An operation on a key: its name in the audit log and the action that it needs. */
export interface Operation {
  readonly name: string;
  readonly action: string | undefined;
}

/** Makes the checks that all operations share, and records a refusal. Returns its error code, or `null`. */
function checkCommon(world: World, actor: Actor, key: ModelKey, { name, action }: Operation): string | null {
  const reachable = isReachable(actor, key);
  const refuse = (code: string) => (reachable ? record(world, actor, name, key.id, code) : code);
  if (actor.keyIds !== null && !actor.keyIds.includes(key.id)) return refuse('key_not_allowed');
  if (actor.kind === 'api_key' && action !== undefined && !actor.actions.includes(action)) {
    return refuse('action_not_allowed');
  }
  return reachable ? null : 'not_found';
}

/** Predicts the result of a change to a key and updates the model. Returns the error code, or `null` for a success. */
export function predictChange(world: World, actor: Actor, key: ModelKey, operation: Operation): string | null {
  const refusal = checkCommon(world, actor, key, operation);
  if (refusal !== null) return refusal;
  const recordCode = (code: string | null) => record(world, actor, operation.name, key.id, code);
  const pending = key.state === 'pending_deletion';
  switch (operation.name) {
    case 'delete_key':
      if (pending) return null;
      key.state = 'pending_deletion';
      return recordCode(null);
    case 'restore_key':
      if (!pending) return recordCode('not_pending_deletion');
      key.state = 'active';
      return recordCode(null);
    case 'rotate_key':
      if (pending) return recordCode('key_pending_deletion');
      key.primary += 1;
      return recordCode(null);
    default:
      key.state = 'destroyed';
      return recordCode(null);
  }
}

export function predictRename(world: World, actor: Actor, key: ModelKey, name: string): string | null {
  const refusal = checkCommon(world, actor, key, { name: 'rename_key', action: 'rename' });
  if (refusal !== null) return refusal;
  const recordCode = (code: string | null) => record(world, actor, 'rename_key', key.id, code);
  if (key.state === 'pending_deletion') return recordCode('key_pending_deletion');
  if (key.name === name) return null;
  if (isTaken(world, key.container, name)) return recordCode('key_exists');
  key.name = name;
  return recordCode(null);
}

/**
 * Predicts the result of creating a key. Records only a refusal, because a new key has no id yet. Returns the error
 * code, or `null`.
 */
export function predictCreate(world: World, actor: Actor, tier: Tier, name: string, container: string): string | null {
  const refuse = (code: string) => record(world, actor, 'create_key', null, code);
  if (actor.keyIds !== null) return refuse('key_not_allowed');
  if (actor.kind === 'api_key' && !actor.actions.includes('create')) return refuse('action_not_allowed');
  if (actor.kind === 'api_key' && container !== actor.container) return refuse('invalid_container');
  if (tier !== 'free' && world.standing[actor.tenant] !== true) return refuse('billing_required');
  if (isTaken(world, container, name)) return refuse('key_exists');
  const isLiveFreeKey = (key: ModelKey) =>
    key.tier === 'free' && key.tenant === actor.tenant && key.state !== 'destroyed';
  return tier === 'free' && world.keys.some(isLiveFreeKey) ? refuse('free_key_exists') : null;
}

/**
 * Predicts and records the result of encrypting with a key. Returns the error code, or `null` for a counted success.
 */
export function predictEncrypt(world: World, actor: Actor, key: ModelKey): string | null {
  const refusal = checkCommon(world, actor, key, { name: 'encrypt', action: 'encrypt' });
  if (refusal !== null) return refusal;
  const recordCode = (code: string | null) => record(world, actor, 'encrypt', key.id, code);
  if (key.state === 'pending_deletion') return recordCode('key_pending_deletion');
  if (key.tier !== 'free' && world.standing[key.tenant] !== true) return recordCode('billing_required');
  key.ops += 1;
  return recordCode(null);
}

export function predictDecrypt(world: World, actor: Actor, { key, version }: Sealed): string | null {
  const refusal = checkCommon(world, actor, key, { name: 'decrypt', action: 'decrypt' });
  if (refusal !== null) return refusal;
  const recordCode = (code: string | null) => record(world, actor, 'decrypt', key.id, code);
  if (key.state === 'pending_deletion') return recordCode('key_pending_deletion');
  if (version <= key.primary - RETAINED[key.tier]) return recordCode('invalid_ciphertext');
  key.ops += 1;
  return recordCode(null);
}

function isTaken({ keys }: World, container: string, name: string): boolean {
  return keys.some((key) => key.container === container && key.name === name && key.state !== 'destroyed');
}
