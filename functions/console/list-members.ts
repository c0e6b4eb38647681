import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { memberAnswer, viewMember } from '../../shared/tenancy/members.ts';
import { loadTeam } from '../../shared/tenancy/teams.ts';
import { needs } from '../needs.ts';

export const listMembersRoute = needs('store').route({
  id: 'list_members',
  method: 'GET',
  path: '/v1/members',
  summary: 'List the members of the tenant',
  description: 'Returns the people who belong to the tenant, with their roles.',
  tag: 'Members',
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(memberAnswer).describe('Oldest first.'),
  isReport: true,
  handle: async ({ store }, { caller }) => (await loadTeam(store, caller.tenantId)).members.map(viewMember),
});
