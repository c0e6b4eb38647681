import { z } from 'zod';
import { type Clock, viewInstant } from '../base/clock.ts';
import { makeId, type TenantId, type UserId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { ApiError, notFound } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import type { Person, SessionCaller } from './caller.ts';
import { givenFields } from './changes.ts';
import {
  hashInvitationSecret,
  parseInvitationToken,
  provesInvitation,
  viewInvitationToken,
} from './invitation-token.ts';
import { giveUpTenant } from './leaving.ts';
import { writeMembership } from './provision.ts';
import type { RecordChange } from './record-change.ts';
import { logRedo } from './redo-log.ts';
import { type Role, roleSchema } from './role.ts';
import {
  addInvitation,
  addMember,
  type Invitation,
  type InvitationId,
  invitationOf,
  liveInvitations,
  makeMember,
  memberOf,
  removeInvitation,
  TEAMS,
  type Team,
} from './team.ts';
import { changeTeam, loadTeam } from './teams.ts';
import { SUBJECTS } from './tenant.ts';
import { loadTenant } from './tenants.ts';
import { makeSecret } from './token.ts';

export const invitationAnswer = z
  .object({
    id: z.uuid().describe('The ID of the invitation.'),
    role: roleSchema.describe('The role that the person gets.'),
    note: z.string().nullable().describe('The note of the inviter, if there is one.'),
    created_by: z.uuid().describe('The user who created the invitation.'),
    created_at: z.iso.datetime().describe('When the invitation was created.'),
    expires_at: z.iso.datetime().describe('When the invitation expires, seven days after its creation.'),
  })
  .meta({ id: 'Invitation' });

export function viewInvitation(invitation: Invitation): z.input<typeof invitationAnswer> {
  const { id, role, note, created_by, created_at, expires_at } = invitation;
  return {
    id,
    role,
    note,
    created_by,
    created_at: viewInstant(created_at),
    expires_at: viewInstant(expires_at),
  };
}

/** Creates an invitation. Stores only a hash of its token. Throws `limit_reached`. */
export async function invite(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  caller: SessionCaller,
  { role, note }: { readonly role: Role; readonly note: string | null },
  record: RecordChange,
): Promise<{ invitation: Invitation; token: string }> {
  const id = makeId<InvitationId>();
  const secret = makeSecret();
  const wanted = { id, role, note, created_by: caller.userId, secret_hash: hashInvitationSecret(secret) };
  const { after } = await changeTeam(store, caller.tenantId, (before) => ({
    team: addInvitation(before, wanted, clock.now()),
    write: (writes) => record(writes, id, givenFields({ role, note })),
  }));
  const invitation = after.invitations.find((one) => one.id === id);
  if (invitation === undefined) throw new Error('a created invitation is missing');
  return { invitation, token: viewInvitationToken({ tenantId: caller.tenantId, invitationId: id, secret }) };
}

export async function listInvitations(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  tenantId: TenantId,
): Promise<Invitation[]> {
  return liveInvitations(await loadTeam(store, tenantId), clock.now());
}

export async function findInvitation(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  tenantId: TenantId,
  id: InvitationId,
): Promise<Invitation> {
  return invitationOf(await loadTeam(store, tenantId), id, clock.now());
}

export async function revokeInvitation(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Log },
  tenantId: TenantId,
  id: InvitationId,
  record: RecordChange,
): Promise<void> {
  await changeTeam(store, tenantId, (team) => ({
    team: removeInvitation(team, id, clock.now()),
    write(writes) {
      record(writes, id);
      logRedo(writes, log, { message: 'invitation revoked', tenant_id: tenantId, target_id: id });
    },
  }));
}

/** Shows an invitation to the holder of its token. Throws `not_found`. */
export async function previewInvitation(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  text: string,
) {
  const { tenantId, invitationId, secret } = parseInvitationToken(text) ?? refuse();
  const team = (await store.find(TEAMS, tenantId)) ?? refuse();
  const { role, note, created_by, expires_at } = provenInvitation({ clock }, team, invitationId, secret);
  const { name } = await loadTenant(store, tenantId);
  const inviter = memberOf(team, created_by);
  return {
    tenant_name: name,
    role,
    note,
    invited_by: { email: inviter.email, name: inviter.name },
    expires_at: viewInstant(expires_at),
  };
}

type RecordAcceptance = (writes: Writes, member: SessionCaller, id: InvitationId) => void;

/** Adds the person to the team and closes their empty tenant. Throws `not_found`, `already_member`, `limit_reached`. */
export async function acceptInvitation(
  services: { readonly store: Store; readonly clock: Clock; readonly log: Log },
  person: Person,
  text: string,
  hasHadKey: (id: TenantId) => Promise<boolean>,
  record: RecordAcceptance,
): Promise<SessionCaller> {
  const { store, clock, log } = services;
  const { tenantId, invitationId, secret } = parseInvitationToken(text) ?? refuse();
  let accepted: SessionCaller | undefined;
  await changeTeam(
    store,
    tenantId,
    async (team) => {
      const { role } = provenInvitation(services, team, invitationId, secret);
      const subject = await store.findWithUpdateTime(SUBJECTS, person.subjectId);
      const own = subject?.doc.membership?.tenant_id;
      if (own === tenantId) throw alreadyMember();
      const giveUp = own === undefined ? undefined : await giveUpTenant(store, own, hasHadKey, clock.now());
      if (own !== undefined && giveUp === undefined) throw alreadyMember();
      const userId = subject?.doc.user_id ?? makeId<UserId>();
      const now = clock.now();
      const joined = addMember(removeInvitation(team, invitationId, now), makeMember(userId, person, role, now));
      const member: SessionCaller = { kind: 'session', tenantId, userId, role, person };
      accepted = member;
      return {
        team: joined,
        write(writes) {
          const membership = { tenant_id: tenantId, role };
          writeMembership(writes, person.subjectId, subject, { user_id: userId, membership });
          giveUp?.(writes);
          record(writes, member, invitationId);
          const used = { tenant_id: tenantId, target_id: invitationId, user_id: userId, role };
          logRedo(writes, log, { message: 'invitation used', ...used });
        },
      };
    },
    notFound,
  );
  if (accepted === undefined) throw new Error('an acceptance made no member');
  return accepted;
}

function provenInvitation(
  { clock }: { readonly clock: Clock },
  team: Team,
  id: InvitationId,
  secret: string,
): Invitation {
  const found = invitationOf(team, id, clock.now());
  return provesInvitation(secret, found.secret_hash) ? found : refuse();
}

function refuse(): never {
  throw notFound();
}

function alreadyMember(): ApiError {
  return new ApiError('already_member', 'you belong to this tenant, or to another one that is not empty');
}
