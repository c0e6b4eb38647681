import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Addresses } from './client.ts';
import { withStore } from './firestore.ts';
import { meObject, newInvitationObject, read } from './objects.ts';
import { type Client, signIn, type Tenant } from './tenant.ts';

export type Role = 'owner' | 'admin' | 'auditor';

/** A signed-in person. */
export interface Person {
  readonly id: string;
  readonly session: Client;
}

/** As the tenant's owner, creates an invitation with the given role. */
export async function inviteTo({ console }: Pick<Tenant, 'console'>, role: Role, note?: string) {
  return read(newInvitationObject, await console.send('POST', '/v1/invitations', { role, note }));
}

/** Signs in a person without a tenant, who then accepts an invitation with the given role. */
export async function join(tenant: Tenant, role: Role, claims: Record<string, unknown> = {}): Promise<Person> {
  const session = await signIn(tenant.console.stack, randomUUID(), claims);
  const { token } = await inviteTo(tenant, role);
  return accept(session, token);
}

export async function accept(session: Client, token: string): Promise<Person> {
  const me = read(meObject, await session.send('POST', '/v1/invitations/accept', { token }));
  return { id: me.user.id, session };
}

/** Signs in a person without a tenant. */
export function signInSomebody(stack: Addresses, claims: Record<string, unknown> = {}): Promise<Client> {
  return signIn(stack, randomUUID(), claims);
}

export async function meOf(session: Client): Promise<z.output<typeof meObject>> {
  return read(meObject, await session.send('GET', '/v1/me'));
}

const LIMIT = 100;

/**
 * Fills a tenant’s team directly in the store, up to 100 members and 100 usable invitations. The new members and
 * invitations are copies of the first member and the first invitation, with the role `auditor`.
 */
export async function fillTeam(stack: Addresses, tenantId: string): Promise<void> {
  await fillMembers(stack, tenantId, LIMIT);
  await fill(stack, tenantId, 'invitations', 'id', LIMIT);
}

/** Fills a tenant's team directly in the store, up to `count` members. */
export function fillMembers(stack: Addresses, tenantId: string, count: number): Promise<void> {
  return fill(stack, tenantId, 'members', 'user_id', count);
}

async function fill(
  stack: Addresses,
  tenantId: string,
  name: 'members' | 'invitations',
  id: 'user_id' | 'id',
  count: number,
): Promise<void> {
  await withStore(stack, async (store) => {
    const team = store.doc(`teams/${tenantId}`);
    const all: unknown[] = (await team.get()).get(name);
    const copy = () => ({ ...Object(all[0]), [id]: randomUUID(), role: 'auditor' });
    await team.update({ [name]: [...all, ...Array.from({ length: count - all.length }, copy)] });
  });
}
