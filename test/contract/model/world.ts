import type { Tier } from '../../support/tenant.ts';

/** A sender of requests: a session of a tenant, or an API key with its permissions. */
export interface Actor {
  readonly tenant: number;
  readonly kind: 'session' | 'api_key';
  /** The id of the user or of the API key. */
  readonly id: string;
  /** The container of the API key; for a session, the default container. */
  readonly container: string;
  actions: readonly string[];
  keyIds: readonly string[] | null;
}

/** A key as the model knows it. */
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

/** A ciphertext, and the key and version that encrypted it. */
export interface Sealed {
  readonly key: ModelKey;
  readonly version: number;
  readonly ciphertext: string;
}

/** The whole state of the model. */
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
export const RETAINED: Readonly<Record<Tier, number>> = { free: 1, wrapped: 1, software: 3, hsm: 2 };

/** Returns whether the key exists and the actor may see it. */
export function isReachable(actor: Actor, key: ModelKey): boolean {
  const isInScope = actor.kind === 'session' || key.container === actor.container;
  return key.tenant === actor.tenant && key.state !== 'destroyed' && isInScope;
}

/** Returns the keys that the actor can list, in order of creation. */
export function visibleKeys({ keys }: World, actor: Actor): ModelKey[] {
  return keys.filter((key) => isReachable(actor, key) && (actor.keyIds === null || actor.keyIds.includes(key.id)));
}

/** Adds an audit row for an operation to the model. Returns `code`: the error code, or `null` for a success. */
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
