import { z } from 'zod';
import { type Clock, viewInstant } from '../base/clock.ts';
import type { TenantId, UserId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { ApiError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { SessionCaller } from './caller.ts';
import { type Changed, reversed } from './changed.ts';
import type { RecordChange } from './record-change.ts';
import { logRedo } from './redo-log.ts';
import { isRaised, parseRole, roleSchema } from './role.ts';
import {
  changeRole,
  type Member,
  memberOf,
  removeMember,
  revokedInvitations,
  type Team,
  withDescription,
} from './team.ts';
import { changeTeam, loadTeam } from './teams.ts';
import { SUBJECTS } from './tenant.ts';

export const memberAnswer = z
  .object({
    user_id: z.uuid().describe('The ID of the user.'),
    email: z.string().nullable().describe('The email address from the identity provider, if known.'),
    name: z.string().nullable().describe('The name from the identity provider, if known.'),
    role: roleSchema.describe('What the member may do.'),
    joined_at: z.iso.datetime().describe('When the user joined the tenant.'),
  })
  .meta({ id: 'Member' });

export function viewMember({ user_id, email, name, role, joined_at }: Member): z.input<typeof memberAnswer> {
  return { user_id, email, name, role, joined_at: viewInstant(joined_at) };
}

export async function loadMember(store: Store, tenantId: TenantId, id: UserId): Promise<Member> {
  return memberOf(await loadTeam(store, tenantId), id);
}

/** Stores the name and email address from the member's access token, so that other members can see them. */
export async function describeMember(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { tenantId, userId, person }: SessionCaller,
): Promise<void> {
  const described = (team: Team) => withDescription(team, userId, person, clock.now());
  try {
    const seen = await loadTeam(store, tenantId);
    if (described(seen) === seen) return;
    await changeTeam(store, tenantId, (team) => ({ team: described(team) }));
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'no_tenant')) throw error;
  }
}

/** Changes a member's role from the member's next request on. Throws `not_found`, `invalid_role` or `last_owner`. */
export async function setRole(
  { store, log }: { readonly store: Store; readonly log: Log },
  tenantId: TenantId,
  id: UserId,
  wanted: string,
  record: RecordChange,
): Promise<Changed<Member>> {
  const { before, after } = await changeTeam(store, tenantId, (team) => {
    const { subject_id, role: before } = memberOf(team, id);
    const role = parseRole(wanted);
    const changed = changeRole(team, id, role);
    const invitation_ids = revokedInvitations({ before: team, after: changed });
    return {
      team: changed,
      write(writes) {
        writes.replace(SUBJECTS, subject_id, { user_id: id, membership: { tenant_id: tenantId, role } });
        record(writes, id, [{ field: 'role', before, after: role }]);
        if (isRaised(reversed({ before, after: role })))
          logRedo(writes, log, { message: 'role lowered', tenant_id: tenantId, target_id: id, role, invitation_ids });
      },
    };
  });
  return { before: memberOf(before, id), after: memberOf(after, id) };
}

/** Removes a member. The removal applies from the member's next request on. Throws `not_found` or `last_owner`. */
export async function dismiss(
  { store, log }: { readonly store: Store; readonly log: Log },
  tenantId: TenantId,
  id: UserId,
  record: RecordChange,
): Promise<void> {
  await changeTeam(store, tenantId, (team) => {
    const changed = removeMember(team, id);
    const invitation_ids = revokedInvitations({ before: team, after: changed });
    return {
      team: changed,
      write(writes) {
        writes.replace(SUBJECTS, memberOf(team, id).subject_id, { user_id: id, membership: null });
        record(writes, id);
        logRedo(writes, log, { message: 'member removed', tenant_id: tenantId, target_id: id, invitation_ids });
      },
    };
  });
}
