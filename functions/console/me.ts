import { z } from 'zod';
import { PERSON } from '../../shared/auth/admission.ts';
import { viewInstant } from '../../shared/base/clock.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { ChangeNeeds } from '../../shared/tenancy/needs.ts';
import { provision } from '../../shared/tenancy/provision.ts';
import { loadTenant } from '../../shared/tenancy/tenants.ts';

const answer = z
  .object({
    user: z.object({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() }),
    tenant: z.object({ id: z.uuid(), created_at: z.iso.datetime() }),
    role: z.literal('owner'),
  })
  .meta({ id: 'Me' });

export const meRoute = route({
  id: 'me',
  method: 'GET',
  path: '/v1/me',
  summary: 'The signed-in user and their tenant, made at the first request',
  admits: PERSON,
  takes: nothing,
  status: 200,
  answer,
  async handle(needs: ChangeNeeds, { caller }) {
    const member = caller.kind === 'session' ? caller : await provision(needs, caller.person);
    const tenant = await loadTenant(needs.store, member.tenantId);
    const { email, name } = member.person;
    return {
      user: { id: member.userId, email, name },
      tenant: { id: member.tenantId, created_at: viewInstant(tenant.created_at) },
      role: 'owner' as const,
    };
  },
});
