import { z } from 'zod';
import { DAY_US, type Instant, MINUTE_US, makeInstant } from '../base/clock.ts';
import { type Id, idSchema, type TenantId, type UserId } from '../base/ids.ts';
import { ApiError, notFound } from '../errors.ts';
import { collection, instantField } from '../store/collection.ts';
import type { Person } from './caller.ts';
import type { Changed } from './changed.ts';
import { type Role, roleSchema } from './role.ts';

export type InvitationId = Id<'invitation'>;

const MAX_MEMBERS = 100;
const MAX_INVITATIONS = 100;
const INVITATION_LASTS_US = 7 * DAY_US;

/** The longest name or email address of a person that is stored. */
const PERSON_LENGTH = 320;

const member = z.object({
  user_id: idSchema<UserId>(),
  /** The id of the person's document in `subjects`. */
  subject_id: z.string(),
  role: roleSchema,
  /** `email` and `name` are from the access token at the last `GET /v1/me`, or when the person joined. */
  email: z.string().nullable(),
  name: z.string().nullable(),
  /** When `GET /v1/me` last stored `email` and `name`. */
  described_at: instantField.nullable().default(null),
  joined_at: instantField,
});

const invitation = z.object({
  id: idSchema<InvitationId>(),
  role: roleSchema,
  note: z.string().nullable(),
  created_by: idSchema<UserId>(),
  created_at: instantField,
  expires_at: instantField,
  secret_hash: z.string(),
});

const team = z.object({
  tenant_id: idSchema<TenantId>(),
  members: z.array(member),
  /** Invitations that were not used or revoked, oldest first. The next change of the team removes expired ones. */
  invitations: z.array(invitation),
});

export type Member = z.output<typeof member>;
export type Invitation = z.output<typeof invitation>;
export type Team = z.output<typeof team>;

/** `teams/{tenant id}`. One document, so that concurrent changes conflict and the tenant always has an owner. */
export const TEAMS = collection('teams', team);

export function makeMember(userId: UserId, person: Person, role: Role, now: Instant): Member {
  return {
    user_id: userId,
    subject_id: person.subjectId,
    role,
    ...described(person),
    described_at: null,
    joined_at: now,
  };
}

/**
 * Returns the team with the person's name and email address. Returns the same object if nothing changes, or if they
 * changed less than a minute ago: a person with two access tokens must not block other changes of the team.
 */
export function withDescription(team: Team, userId: UserId, person: Person, now: Instant): Team {
  const { email, name } = described(person);
  const found = team.members.find(({ user_id }) => user_id === userId);
  if (found === undefined || (found.email === email && found.name === name)) return team;
  const age = now - (found.described_at ?? 0);
  if (age >= 0 && age < MINUTE_US) return team;
  return withMember(team, { ...found, email, name, described_at: now });
}

/** Throws `not_found` if the person is not a member. */
export function memberOf({ members }: Team, userId: UserId): Member {
  const found = members.find(({ user_id }) => user_id === userId);
  if (found === undefined) throw notFound();
  return found;
}

/** Throws `limit_reached` above 100 members. */
export function addMember(team: Team, added: Member): Team {
  if (team.members.length >= MAX_MEMBERS) throw limitReached(MAX_MEMBERS, 'members');
  return { ...team, members: [...team.members, added] };
}

/**
 * Returns the team with a member's new role. Revokes the invitations of an owner who loses that role. Throws
 * `not_found` or `last_owner`.
 */
export function changeRole(team: Team, userId: UserId, role: Role): Team {
  const found = memberOf(team, userId);
  if (found.role === role) return team;
  if (found.role !== 'owner') return withMember(team, { ...found, role });
  refuseLastOwner(team);
  return withoutInvitationsBy(withMember(team, { ...found, role }), userId);
}

/** Returns the team without the member and without the member's invitations. Throws `not_found` or `last_owner`. */
export function removeMember(team: Team, userId: UserId): Team {
  if (memberOf(team, userId).role === 'owner') refuseLastOwner(team);
  const members = team.members.filter(({ user_id }) => user_id !== userId);
  return withoutInvitationsBy({ ...team, members }, userId);
}

export function revokedInvitations({ before, after }: Changed<Team>): InvitationId[] {
  const kept = new Set(after.invitations);
  return before.invitations.filter((one) => !kept.has(one)).map(({ id }) => id);
}

export function liveInvitations({ invitations }: Team, now: Instant): Invitation[] {
  return invitations.filter(({ expires_at }) => now < expires_at);
}

/** Adds an invitation, valid for seven days, and removes expired ones. Throws `limit_reached`. */
export function addInvitation(
  team: Team,
  wanted: Pick<Invitation, 'id' | 'role' | 'note' | 'created_by' | 'secret_hash'>,
  now: Instant,
): Team {
  const live = liveInvitations(team, now);
  if (live.length >= MAX_INVITATIONS) throw limitReached(MAX_INVITATIONS, 'live invitations');
  const added = { ...wanted, created_at: now, expires_at: makeInstant(now + INVITATION_LASTS_US) };
  return { ...team, invitations: [...live, added] };
}

/** Returns a live invitation. Throws `not_found`. */
export function invitationOf(team: Team, id: InvitationId, now: Instant): Invitation {
  const found = liveInvitations(team, now).find((one) => one.id === id);
  if (found === undefined) throw notFound();
  return found;
}

export function removeInvitation(team: Team, id: InvitationId, now: Instant): Team {
  invitationOf(team, id, now);
  return { ...team, invitations: liveInvitations(team, now).filter((one) => one.id !== id) };
}

function withMember(team: Team, changed: Member): Team {
  return { ...team, members: team.members.map((one) => (one.user_id === changed.user_id ? changed : one)) };
}

function withoutInvitationsBy(team: Team, userId: UserId): Team {
  return { ...team, invitations: team.invitations.filter(({ created_by }) => created_by !== userId) };
}

function refuseLastOwner({ members }: Team): void {
  if (members.filter(({ role }) => role === 'owner').length > 1) return;
  throw new ApiError('last_owner', 'a tenant needs an owner: make someone else an owner first');
}

function limitReached(most: number, things: string): ApiError {
  return new ApiError('limit_reached', `a tenant can have at most ${most} ${things}`);
}

function described({ email, name }: Person): Pick<Member, 'email' | 'name'> {
  return { email: storable(email), name: storable(name) };
}

/** Returns the text in well-formed Unicode, because Firestore would change other text, and limits its length. */
function storable(text: string | null): string | null {
  return text?.slice(0, PERSON_LENGTH).toWellFormed() ?? null;
}
