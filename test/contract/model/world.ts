import type { Tier } from '../../support/tenant.ts';

/** Who sends requests: a session of a tenant, or one of its API keys with what it may do. */
export interface Actor {
  readonly tenant: number;
  readonly kind: 'session' | 'api_key';
  /** The user's id, or the API key's. */
  readonly id: string;
  /** Where an API key belongs; for a session the default container. */
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

/** A row of the audit log, without what the model cannot know. */
export interface ModelRow {
  readonly operation: string;
  readonly error_code: string | null;
  readonly key_id: string | null;
  readonly api_key_id: string | null;
  readonly user_id: string | null;
}

/** What has been sealed, under which version of which key. */
export interface Sealed {
  readonly key: ModelKey;
  readonly version: number;
  readonly ciphertext: string;
}

/** All that the model knows. */
export interface World {
  readonly actors: readonly Actor[];
  readonly keys: ModelKey[];
  readonly sealed: Sealed[];
  /** By tenant, oldest first. */
  readonly rows: readonly ModelRow[][];
  /** By tenant: whether its billing is in good standing. */
  readonly standing: boolean[];
}

/** The versions that stay enabled after a rotation. */
export const RETAINED: Readonly<Record<Tier, number>> = { free: 1, wrapped: 1, software: 3, hsm: 2 };

/** Whether a key is neither destroyed nor out of the actor's sight. */
export function isReachable(actor: Actor, key: ModelKey): boolean {
  const inSight = actor.kind === 'session' || key.container === actor.container;
  return key.tenant === actor.tenant && key.state !== 'destroyed' && inSight;
}

/** The keys that the actor is shown, in the order they were made. */
export function visibleKeys({ keys }: World, actor: Actor): ModelKey[] {
  return keys.filter((key) => isReachable(actor, key) && (actor.keyIds === null || actor.keyIds.includes(key.id)));
}

/** Writes down what an actor's operation came to, an error code or nothing, and returns the code. */
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
