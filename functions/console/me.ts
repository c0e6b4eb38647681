import { z } from 'zod';
import { PERSON } from '../../shared/auth/admission.ts';
import { viewInstant } from '../../shared/base/clock.ts';
import { nothing } from '../../shared/http/input.ts';
import type { SessionCaller } from '../../shared/tenancy/caller.ts';
import { describeMember } from '../../shared/tenancy/members.ts';
import { provision } from '../../shared/tenancy/provision.ts';
import { roleSchema } from '../../shared/tenancy/role.ts';
import { loadTenant } from '../../shared/tenancy/tenants.ts';
import { needs, type Parts } from '../needs.ts';

export const tenantAnswer = z
  .object({
    id: z.uuid().describe('The ID of the tenant.'),
    name: z.string().nullable().describe('The name of the tenant, or `null` until it is set.'),
    created_at: z.iso.datetime().describe('When the tenant was created.'),
  })
  .meta({ id: 'Tenant' });

export const meAnswer = z
  .object({
    user: z
      .object({
        id: z.uuid().describe('The ID of the user.'),
        email: z.string().nullable().describe('The email address from the identity provider, if known.'),
        name: z.string().nullable().describe('The name from the identity provider, if known.'),
      })
      .describe('The signed-in user.'),
    tenant: tenantAnswer.describe('The tenant of the user.'),
    role: roleSchema.describe('The role of the user in the tenant.'),
  })
  .meta({ id: 'Me', description: 'The signed-in user with their tenant and role.' });

/** This `GET` can write: it creates a tenant for a person without one, and stores a new name or email address. */
export const meRoute = needs('store', 'clock').route({
  id: 'me',
  method: 'GET',
  path: '/v1/me',
  summary: 'Get the signed-in user and their tenant',
  description:
    'Returns the signed-in user, their tenant and their role. The first call of a user without a tenant creates a tenant, which they own.',
  tag: 'Account',
  admits: PERSON,
  takes: nothing,
  status: 200,
  answer: meAnswer,
  async handle(services, { caller }) {
    if (caller.kind === 'newcomer') return viewMe(services, await provision(services, caller.person));
    const [me] = await Promise.all([viewMe(services, caller), describeMember(services, caller)]);
    return me;
  },
});

/** Returns the answer of `GET /v1/me`, with the name and the email address from the access token. */
export async function viewMe({ store }: Pick<Parts, 'store'>, { userId, tenantId, role, person }: SessionCaller) {
  const { name, created_at } = await loadTenant(store, tenantId);
  return {
    user: { id: userId, email: person.email, name: person.name },
    tenant: { id: tenantId, name, created_at: viewInstant(created_at) },
    role,
  };
}
