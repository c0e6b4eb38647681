import type { KeyId, TenantId } from '../../shared/base/ids.ts';
import type { RedoLine } from '../../shared/tenancy/redo-log.ts';
import type { InvitationId } from '../../shared/tenancy/team.ts';
import { restriction, revocation } from './api-keys.ts';
import type { RedoChange } from './change.ts';
import { tightening } from './firewalls.ts';
import { isStateLine, type StateLine } from './key-state.ts';
import { creation, freeze, keyState, rotation } from './keys.ts';
import { endOfInvitation, removal, roleAtMost } from './members.ts';

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
