import { randomUUID } from 'node:crypto';
import type { Addresses } from '../../support/client.ts';
import { meOf, type Role, signInSomebody } from '../../support/team.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

/** A person in the model: their session, and the user id and tenant that the service should have for them. */
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
  /** Whether the tenant has no API key, so that its only member can move to another tenant. */
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

/** Makes `founders` people who each have a tenant with an API key, and `others` people without a tenant. */
export async function makeWorld(stack: Addresses, founders: number, others: number): Promise<World> {
  const tenants = await Promise.all(Array.from({ length: founders }, () => makeTenant(stack)));
  const withoutTenant = await Promise.all(Array.from({ length: others }, () => signInSomebody(stack)));
  const sessions = [...tenants.map(({ console }) => console), ...withoutTenant];
  const people = sessions.map((session) => ({ session, userId: randomUUID(), tenant: undefined }));
  const world: World = { people, tenants: new Set(), invitations: [] };
  for (const [index, { id }] of tenants.entries()) {
    const founder = world.people[index];
    if (founder === undefined) throw new Error('the tenant has no founder');
    founder.userId = (await meOf(founder.session)).user.id;
    foundTenant(world, founder, id, false);
  }
  return world;
}
