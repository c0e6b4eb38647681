import { isDeepStrictEqual } from 'node:util';
import type { KeyId, TenantId, UserId } from '../../shared/base/ids.ts';
import { reversed } from '../../shared/tenancy/changed.ts';
import { FIREWALLS } from '../../shared/tenancy/firewall.ts';
import { changeFirewall } from '../../shared/tenancy/firewalls.ts';
import { revokeInvitation } from '../../shared/tenancy/invitations.ts';
import { dismiss, setRole } from '../../shared/tenancy/members.ts';
import type { RedoLine } from '../../shared/tenancy/redo-log.ts';
import { isRaised, type Role } from '../../shared/tenancy/role.ts';
import { type InvitationId, liveInvitations, TEAMS } from '../../shared/tenancy/team.ts';
import { restriction, revocation } from './api-keys.ts';
import { type LineOf, type PlanChange, type RedoChange, recording } from './change.ts';
import { isStateLine, type StateLine } from './key-state.ts';
import { creation, freeze, keyState, rotation } from './keys.ts';

function tightening({ tenant_id, target_id: id, allowed_ips }: LineOf<'firewall tightened'>): PlanChange {
  return async (services) => {
    const firewall = await services.store.find(FIREWALLS, id);
    if (firewall?.tenant_id !== tenant_id) return 'not in the store';
    if (isDeepStrictEqual(firewall.allowed_ips, allowed_ips)) return 'already so';
    const record = recording(services, tenant_id, 'update_firewall');
    return () => changeFirewall(services, tenant_id, id, { networks: allowed_ips }, record);
  };
}

/** Removes a member again. Fails with `last_owner` if the tenant would have no owner left. */
function removal({ tenant_id, target_id: id }: LineOf<'member removed'>): PlanChange {
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
function roleAtMost(tenantId: TenantId, id: UserId, role: Role): PlanChange {
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
function endOfInvitation(tenantId: TenantId, id: InvitationId): PlanChange {
  return async (services) => {
    const team = await services.store.find(TEAMS, tenantId);
    if (team === undefined) return 'not in the store';
    if (!liveInvitations(team, services.clock.now()).some((one) => one.id === id)) return 'already so';
    return () => revokeInvitation(services, tenantId, id, recording(services, tenantId, 'revoke_invitation'));
  };
}

/** Returns the latest change of each object, in commit order. */
export function latestChanges(lines: readonly RedoLine[]): RedoChange[] {
  const sorted = lines.toSorted((a, b) => a.commit_time - b.commit_time);
  const stateLines = Map.groupBy(sorted.filter(isStateLine), ({ target_id }) => target_id);
  const latest = new Map<string, RedoChange>();
  for (const change of sorted.flatMap((line) => changesOf(line, stateLines))) {
    // A map keeps the position of a replaced entry, so delete the earlier change first. The new one then comes last.
    latest.delete(change.about);
    latest.set(change.about, change);
  }
  return [...latest.values()];
}

function changesOf(line: RedoLine, stateLines: ReadonlyMap<KeyId, readonly StateLine[]>): RedoChange[] {
  const { message: kind, tenant_id: tenantId, target_id: id } = line;
  switch (kind) {
    case 'API key revoked':
      return [{ kind, about: `revocation of API key ${id}`, plan: revocation(line) }];
    case 'API key access restricted':
      return [{ kind, about: `access of API key ${id}`, plan: restriction(line) }];
    case 'firewall tightened':
      return [{ kind, about: `firewall ${id}`, plan: tightening(line) }];
    case 'member removed':
      return [{ kind, about: `member ${id} of ${tenantId}`, plan: removal(line) }, ...invitationsEnded(line)];
    case 'role lowered': {
      const about = `member ${id} of ${tenantId}`;
      return [{ kind, about, plan: roleAtMost(tenantId, line.target_id, line.role) }, ...invitationsEnded(line)];
    }
    case 'invitation used': {
      const about = `member ${line.user_id} of ${tenantId}`;
      const joined = { kind: 'member joined', about, plan: roleAtMost(tenantId, line.user_id, line.role) } as const;
      return [joined, invitationEnded(tenantId, line.target_id)];
    }
    case 'invitation revoked':
      return [invitationEnded(tenantId, line.target_id)];
    case 'key created':
      return [{ kind, about: `creation of key ${id}`, plan: creation(line) }];
    case 'key rotated':
      return [{ kind, about: `versions of key ${id}`, plan: rotation(line) }];
    case 'key frozen':
      return [{ kind, about: `freeze of key ${id}`, plan: freeze(line, line.frozen_at) }];
    case 'key thawed':
      return [{ kind, about: `freeze of key ${id}`, plan: freeze(line, null) }];
    case 'key deletion requested':
    case 'key restored':
    case 'key destroyed':
      return [{ kind, about: `key ${id}`, plan: keyState(stateLines.get(line.target_id) ?? [], line) }];
  }
}

function invitationsEnded(line: { tenant_id: TenantId; invitation_ids: readonly InvitationId[] }): RedoChange[] {
  return line.invitation_ids.map((id) => invitationEnded(line.tenant_id, id));
}

function invitationEnded(tenantId: TenantId, id: InvitationId): RedoChange {
  return { kind: 'invitation ended', about: `invitation ${id}`, plan: endOfInvitation(tenantId, id) };
}
