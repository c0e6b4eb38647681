import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_US, MINUTE_US, makeClock, makeInstant } from '../../../shared/base/clock.ts';
import { makeId, type UserId } from '../../../shared/base/ids.ts';
import { ApiError } from '../../../shared/errors.ts';
import { ROLES, type Role } from '../../../shared/tenancy/role.ts';
import {
  addInvitation,
  addMember,
  changeRole,
  type InvitationId,
  liveInvitations,
  makeMember,
  removeInvitation,
  removeMember,
  type Team,
  withDescription,
} from '../../../shared/tenancy/team.ts';

const now = makeClock().now();
const USERS = Array.from({ length: 3 }, () => makeId<UserId>());

function memberOf(userId: UserId, role: Role) {
  return makeMember(userId, { subjectId: userId, email: null, name: null }, role, now);
}

function newTeam(): Team {
  const [owner = makeId<UserId>()] = USERS;
  return { tenant_id: makeId(), members: [memberOf(owner, 'owner')], invitations: [] };
}

function invitation(created_by: UserId, role: Role) {
  return { id: makeId<InvitationId>(), role, note: null, created_by, secret_hash: '' };
}

/** The team after a change, or the unchanged team if the change is refused. */
function after(team: Team, change: (team: Team) => Team): Team {
  try {
    return change(team);
  } catch (error) {
    if (error instanceof ApiError) return team;
    throw error;
  }
}

const user = fc.constantFrom(...USERS);
const role = fc.constantFrom(...ROLES);
const change = fc.oneof(
  fc.tuple(user, role).map(
    ([userId, wanted]) =>
      (team: Team) =>
        changeRole(team, userId, wanted),
  ),
  user.map((userId) => (team: Team) => removeMember(team, userId)),
  fc.tuple(user, role).map(([userId, wanted]) => (team: Team) => {
    const isOwner = team.members.some((one) => one.user_id === userId && one.role === 'owner');
    return isOwner ? addInvitation(team, invitation(userId, wanted), now) : team;
  }),
  user.map((userId) => (team: Team) => {
    const [first] = liveInvitations(team, now);
    const isMember = team.members.some(({ user_id }) => user_id === userId);
    if (first === undefined || isMember) return team;
    return addMember(removeInvitation(team, first.id, now), memberOf(userId, first.role));
  }),
);

test('after any sequence of changes, a team has an owner, no duplicate members, and no invitation from a person who is not an owner', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 20, maxLength: 60 }), (changes) => {
      let team = newTeam();
      for (const one of changes) {
        team = after(team, one);
        const owners = team.members.filter((member) => member.role === 'owner').map(({ user_id }) => user_id);
        expect(owners.length).toBeGreaterThan(0);
        expect(new Set(team.members.map(({ user_id }) => user_id)).size).toBe(team.members.length);
        for (const { created_by } of team.invitations) expect(owners).toContain(created_by);
      }
    }),
  );
});

const [owner = makeId<UserId>()] = USERS;

test('a tenant has at most 100 members', () => {
  let team = newTeam();
  for (let n = 1; n < 100; n++) team = addMember(team, memberOf(makeId(), 'auditor'));
  expect(() => addMember(team, memberOf(makeId(), 'auditor'))).toThrow('at most 100 members');
});

test('a tenant has at most 100 live invitations, and expired invitations are removed', () => {
  let team = newTeam();
  for (let n = 0; n < 100; n++) team = addInvitation(team, invitation(owner, 'admin'), now);
  expect(() => addInvitation(team, invitation(owner, 'admin'), now)).toThrow('at most 100 live invitations');
  const later = makeInstant(now + 7 * DAY_US);
  expect(liveInvitations(team, later)).toEqual([]);
  expect(addInvitation(team, invitation(owner, 'admin'), later).invitations).toHaveLength(1);
});

test('the stored name of a member changes at most once a minute', () => {
  const team = newTeam();
  const [{ user_id: owner = makeId<UserId>() } = {}] = team.members;
  const named = (before: Team, name: string, after_us: number) =>
    withDescription(before, owner, { subjectId: owner, email: null, name }, makeInstant(now + after_us));
  const ada = named(team, 'Ada', 0);
  expect(ada.members).toMatchObject([{ name: 'Ada' }]);
  expect(named(ada, 'Eve', MINUTE_US - 1)).toBe(ada);
  expect(named(ada, 'Eve', MINUTE_US).members).toMatchObject([{ name: 'Eve' }]);
  expect(named(ada, 'Eve', -MINUTE_US).members).toMatchObject([{ name: 'Eve' }]);
  expect(named(ada, 'Ada', DAY_US)).toBe(ada);
});
