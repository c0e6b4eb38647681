import type { TenantId, UserId } from '../../shared/base/ids.ts';
import { reversed } from '../../shared/tenancy/changed.ts';
import { revokeInvitation } from '../../shared/tenancy/invitations.ts';
import { dismiss, setRole } from '../../shared/tenancy/members.ts';
import { isRaised, type Role } from '../../shared/tenancy/role.ts';
import { type InvitationId, liveInvitations, TEAMS } from '../../shared/tenancy/team.ts';
import { type LineOf, type PlanChange, recording } from './change.ts';

/** Removes a member again. Fails with `last_owner` if the tenant would have no owner left. */
export function removal({ tenant_id, target_id: id }: LineOf<'member removed'>): PlanChange {
  return async (services) => {
    const team = await services.store.find(TEAMS, tenant_id);
    if (team === undefined) return 'not in the store';
    if (!team.members.some(({ user_id }) => user_id === id)) return 'already so';
    return () => dismiss(services, tenant_id, id, recording(services, tenant_id, 'remove_member'));
  };
}

/**
 * Lowers a member's role to `role`, and never raises it. Fails with `last_owner` if the tenant would have no owner
 * left.
 */
export function roleAtMost(tenantId: TenantId, id: UserId, role: Role): PlanChange {
  return async (services) => {
    const team = await services.store.find(TEAMS, tenantId);
    const member = team?.members.find(({ user_id }) => user_id === id);
    if (member === undefined) return 'not in the store';
    if (!isRaised(reversed({ before: member.role, after: role }))) return 'already so';
    return () => setRole(services, tenantId, id, role, recording(services, tenantId, 'change_role'));
  };
}

/**
 * Ends an invitation again, even if it was accepted. The restored store lacks the new member, so without this the
 * invitation's token would work again.
 */
export function endOfInvitation(tenantId: TenantId, id: InvitationId): PlanChange {
  return async (services) => {
    const team = await services.store.find(TEAMS, tenantId);
    if (team === undefined) return 'not in the store';
    if (!liveInvitations(team, services.clock.now()).some((one) => one.id === id)) return 'already so';
    return () => revokeInvitation(services, tenantId, id, recording(services, tenantId, 'revoke_invitation'));
  };
}
