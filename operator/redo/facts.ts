import type { KeyId, TenantId } from '../../shared/base/ids.ts';
import type { RedoLine } from '../../shared/tenancy/redo-log.ts';
import type { InvitationId } from '../../shared/tenancy/team.ts';
import { restriction, revocation } from './api-keys.ts';
import type { Fact } from './fact.ts';
import { tightening } from './firewalls.ts';
import { isLifeLine, type LifeLine } from './key-life.ts';
import { creation, life, rotation } from './keys.ts';
import { endOfInvitation, removal, roleAtMost } from './members.ts';

/** Returns the latest fact about each object, in commit order. */
export function latestFacts(lines: readonly RedoLine[]): Fact[] {
  const sorted = lines.toSorted((a, b) => a.commit_time - b.commit_time);
  const lives = Map.groupBy(sorted.filter(isLifeLine), ({ target_id }) => target_id);
  const latest = new Map<string, Fact>();
  for (const fact of sorted.flatMap((line) => factsOf(line, lives))) {
    // A map keeps the place of a replaced entry, so delete the earlier fact first. The new fact is then the last.
    latest.delete(fact.about);
    latest.set(fact.about, fact);
  }
  return [...latest.values()];
}

function factsOf(line: RedoLine, lives: ReadonlyMap<KeyId, readonly LifeLine[]>): Fact[] {
  const { message: kind, tenant_id: tenantId, target_id: id } = line;
  switch (kind) {
    case 'API key revoked':
      return [{ kind, about: `revocation of API key ${id}`, find: revocation(line) }];
    case 'API key access restricted':
      return [{ kind, about: `access of API key ${id}`, find: restriction(line) }];
    case 'firewall tightened':
      return [{ kind, about: `firewall ${id}`, find: tightening(line) }];
    case 'member removed':
      return [{ kind, about: `member ${id} of ${tenantId}`, find: removal(line) }, ...invitationsEnded(line)];
    case 'role lowered': {
      const about = `member ${id} of ${tenantId}`;
      return [{ kind, about, find: roleAtMost(tenantId, line.target_id, line.role) }, ...invitationsEnded(line)];
    }
    case 'invitation used': {
      const about = `member ${line.user_id} of ${tenantId}`;
      const joined = { kind: 'member joined', about, find: roleAtMost(tenantId, line.user_id, line.role) } as const;
      return [joined, invitationEnded(tenantId, line.target_id)];
    }
    case 'invitation revoked':
      return [invitationEnded(tenantId, line.target_id)];
    case 'key created':
      return [{ kind, about: `creation of key ${id}`, find: creation(line) }];
    case 'key rotated':
      return [{ kind, about: `versions of key ${id}`, find: rotation(line) }];
    case 'key deletion requested':
    case 'key restored':
    case 'key destroyed':
      return [{ kind, about: `key ${id}`, find: life(lives.get(line.target_id) ?? [], line) }];
  }
}

function invitationsEnded(line: { tenant_id: TenantId; invitation_ids: readonly InvitationId[] }): Fact[] {
  return line.invitation_ids.map((id) => invitationEnded(line.tenant_id, id));
}

function invitationEnded(tenantId: TenantId, id: InvitationId): Fact {
  return { kind: 'invitation ended', about: `invitation ${id}`, find: endOfInvitation(tenantId, id) };
}
