import { randomUUID } from 'node:crypto';
import type { Addresses } from '../../support/client.ts';
import { meOf, type Role, signInSomebody } from '../../support/team.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

/** A person, and what the service should know about them. */
export interface ModelPerson {
  readonly session: Client;
  /** A random id until the service reports the real one. */
  userId: string;
  tenant: ModelTenant | undefined;
}

export interface ModelInvitation {
  readonly id: string;
  readonly token: string;
  readonly role: Role;
  readonly by: ModelPerson;
  readonly tenant: ModelTenant;
}

/** An audit event about a team. */
export interface ModelRow {
  readonly operation: string;
  readonly user_id: string;
  readonly target_id: string | null;
  readonly error_code: string | null;
}

export interface ModelTenant {
  readonly id: string;
  /** Whether the only member can move to another tenant: true if this tenant has no API key. */
  readonly isEmpty: boolean;
  /** The members, in the order in which they joined. */
  readonly members: Map<ModelPerson, Role>;
  /** Usable invitations, oldest first. */
  invitations: ModelInvitation[];
  /** The audit events, oldest first. */
  readonly rows: ModelRow[];
}

export interface World {
  readonly people: readonly ModelPerson[];
  readonly tenants: Set<ModelTenant>;
  /** Every invitation ever made, usable or not. */
  readonly invitations: ModelInvitation[];
}

export function foundTenant(world: World, founder: ModelPerson, id: string, isEmpty: boolean): void {
  founder.tenant = { id, isEmpty, members: new Map([[founder, 'owner']]), invitations: [], rows: [] };
  world.tenants.add(founder.tenant);
}

/** Makes founders, each with a tenant that has an API key, and people without a tenant. */
export async function makeWorld(stack: Addresses, founders: number, others: number): Promise<World> {
  const tenants = await Promise.all(Array.from({ length: founders }, () => makeTenant(stack)));
  const strangers = await Promise.all(Array.from({ length: others }, () => signInSomebody(stack)));
  const sessions = [...tenants.map(({ console }) => console), ...strangers];
  const people = sessions.map((session) => ({ session, userId: randomUUID(), tenant: undefined }));
  const world: World = { people, tenants: new Set(), invitations: [] };
  for (const [index, { id }] of tenants.entries()) {
    const founder = world.people[index];
    if (founder === undefined) throw new Error('a tenant has no founder');
    founder.userId = (await meOf(founder.session)).user.id;
    foundTenant(world, founder, id, false);
  }
  return world;
}
