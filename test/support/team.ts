import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Addresses } from './client.ts';
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
