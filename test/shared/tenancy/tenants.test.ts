import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_US, MINUTE_US, makeClock, makeInstant } from '../../../shared/base/clock.ts';
import {
  type ApiKeyId,
  type ContainerId,
  idFromBytes,
  makeId,
  parseId,
  type TenantId,
  type UserId,
} from '../../../shared/base/ids.ts';
import { monthSchema } from '../../../shared/base/month.ts';
import { ApiError } from '../../../shared/errors.ts';
import { ACTIONS } from '../../../shared/operations.ts';
import { nameClaim } from '../../../shared/tenancy/claim.ts';
import { refuseName } from '../../../shared/tenancy/name.ts';
import type { ObjectCounts } from '../../../shared/tenancy/object-counts.ts';
import { parseActions } from '../../../shared/tenancy/restrictions.ts';
import { ROLES, type Role } from '../../../shared/tenancy/role.ts';
import { slotAmongPaidKeys } from '../../../shared/tenancy/slots.ts';
import {
  addInvitation,
  addMember,
  changeRole,
  type InvitationId,
  invitationOf,
  liveInvitations,
  makeMember,
  removeInvitation,
  removeMember,
  type Team,
  withDescription,
} from '../../../shared/tenancy/team.ts';
import { makeSecret, parseToken, tokenPrefix, viewToken } from '../../../shared/tenancy/token.ts';

const refused = expect.objectContaining({ code: 'invalid_name' });

test.each([
  ...['a', 'a'.repeat(128), '😀'.repeat(128), '€'.repeat(128), ' a b ', ' .', '\u007e', 'a\u00a0', 'e\u0301'],
  ...['שלום', '👩‍👩‍👧', '\u200b', '\u{10ffff}'],
])('a name is accepted: %j', (name) => {
  expect(() => refuseName(name)).not.toThrow();
});

test.each(['', 'a'.repeat(129), '😀'.repeat(129), `${'a'.repeat(128)} `, 'a\ud83d', '\ude00a', 'a\ude00\ud83d'])(
  'a name is refused: %j',
  (name) => {
    expect(() => refuseName(name)).toThrow(refused);
  },
);

test('a name may contain any character except control characters, at any position', () => {
  for (let code = 0; code <= 0x17f; code++) {
    const character = String.fromCodePoint(code);
    const isControl = code <= 0x1f || (code >= 0x7f && code <= 0x9f);
    if (isControl) expect(() => refuseName(character), JSON.stringify(character)).toThrow(refused);
    for (const name of [`a${character}b`, `${character}a`, `a${character}`]) {
      if (isControl) expect(() => refuseName(name), JSON.stringify(name)).toThrow(refused);
      else expect(() => refuseName(name), JSON.stringify(name)).not.toThrow();
    }
  }
});

test.each([
  ...['   ', '\u00a0', '\u1680', '\u2000', '\u200a', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000'],
  ...[' \u3000\u00a0 '],
])('a name of only white space is refused: %j', (name) => {
  expect(() => refuseName(name)).toThrow(refused);
});

test('the error about a refused name does not quote the name', () => {
  for (const name of ['SECRET\u0000', 'SECRET'.repeat(30)]) {
    expect(() => refuseName(name)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('SECRET') }));
  }
});

const container = makeId<ContainerId>();
const tenant = makeId<TenantId>();

test('claims on the same name in the same container are equal', () => {
  expect(nameClaim('key', container, 'orders')).toBe(nameClaim('key', container, 'orders'));
});

test.each([
  ['another name', nameClaim('key', container, 'invoices')],
  ['the same name with a capital letter', nameClaim('key', container, 'Orders')],
  ['the same name with a space', nameClaim('key', container, 'orders ')],
  ['a firewall with that name', nameClaim('firewall', container, 'orders')],
  ['a container with that name', nameClaim('container', tenant, 'orders')],
  ['the same name in another container', nameClaim('key', makeId(), 'orders')],
])('the claim on a name differs from the claim on %s', (_, other) => {
  expect(nameClaim('key', container, 'orders')).not.toBe(other);
});

test('a claim is a valid Firestore document id, whatever the name', () => {
  const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 128 });
  fc.assert(
    fc.property(name, (text) => {
      const id = nameClaim('key', container, text);
      expect(id).toMatch(/^[0-9a-f-]{36}:key:[A-Za-z0-9_-]{43}$/);
    }),
  );
});

test('a claim does not contain the name', () => {
  expect(nameClaim('key', container, 'orders')).not.toContain('orders');
});

const PREFIX = 'ci7ekz7itmjnhjcwijtbif2aaa';
const SECRET = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE';
const ID = '123e4567-e89b-12d3-a456-426614174000';

test('an API key token is esk_, the id in base32, an underscore and the secret', () => {
  const apiKeyId = parseId<ApiKeyId>(ID);
  expect(parseToken(`esk_${PREFIX}_${SECRET}`)).toEqual({ apiKeyId, secret: SECRET });
  expect(apiKeyId && viewToken({ apiKeyId, secret: SECRET })).toBe(`esk_${PREFIX}_${SECRET}`);
});

test.each([
  ['00000000-0000-0000-0000-000000000000', 'a'.repeat(26)],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', `${'7'.repeat(25)}4`],
  [ID, PREFIX],
])('the id %s is written as the prefix %s, and the prefix is read as that id', (id, prefix) => {
  const apiKeyId = parseId<ApiKeyId>(id);
  expect(apiKeyId && tokenPrefix(apiKeyId)).toBe(prefix);
  expect(parseToken(`esk_${prefix}_${SECRET}`)?.apiKeyId).toBe(id);
});

test.each([
  ['underscores', '_'.repeat(43)],
  ['hyphens', '-'.repeat(43)],
  ['text that looks like another token', `esk_${PREFIX}_${'A'.repeat(12)}`],
])('the secret of a token may consist of %s', (_, secret) => {
  expect(parseToken(`esk_${PREFIX}_${secret}`)?.secret).toBe(secret);
});

test.each([
  ['an empty text', ''],
  ['only esk_', 'esk_'],
  ['no esk_ at the start', `${PREFIX}_${SECRET}`],
  ['another start', `sk_${PREFIX}_${SECRET}`],
  ['esk_ in upper case', `ESK_${PREFIX}_${SECRET}`],
  ['no secret', `esk_${PREFIX}`],
  ['an empty secret', `esk_${PREFIX}_`],
  ['no prefix', `esk__${SECRET}`],
  ['no underscore before the secret', `esk_${PREFIX}${SECRET}`],
  ['a prefix in upper case', `esk_${PREFIX.toUpperCase()}_${SECRET}`],
  ['a prefix one character short', `esk_${PREFIX.slice(1)}_${SECRET}`],
  ['a prefix one character long', `esk_${PREFIX}a_${SECRET}`],
  ['a prefix outside the alphabet', `esk_${PREFIX.replace('c', '1')}_${SECRET}`],
  ['a prefix whose unused bits are not zero', `esk_${PREFIX.slice(0, 25)}b_${SECRET}`],
  ['a prefix that is a UUID', `esk_${ID}_${SECRET}`],
  ['a secret one character short', `esk_${PREFIX}_${SECRET.slice(1)}`],
  ['a secret one character long', `esk_${PREFIX}_${SECRET}A`],
  ['a secret with padding', `esk_${PREFIX}_${SECRET}=`],
  ['a secret in standard base64', `esk_${PREFIX}_${SECRET.replace('-', '+')}`],
  ['a line feed at the end', `esk_${PREFIX}_${SECRET}\n`],
  ['a space before the token', ` esk_${PREFIX}_${SECRET}`],
  ['a line before the token', `x\nesk_${PREFIX}_${SECRET}`],
])('a malformed token is refused: %s', (_, text) => {
  expect(parseToken(text)).toBeUndefined();
});

test('formatting and then parsing a token returns the same id and secret', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const token = { apiKeyId: idFromBytes<ApiKeyId>(bytes), secret: makeSecret() };
      const text = viewToken(token);
      expect(text).toHaveLength(74);
      expect(parseToken(text)).toEqual(token);
    }),
  );
});

test('two API keys never have the same prefix', () => {
  const ids = Array.from({ length: 1000 }, () => makeId<ApiKeyId>());
  expect(new Set(ids.map(tokenPrefix)).size).toBe(1000);
});

test('a new secret is 32 bytes in base64url without padding, different each time', () => {
  const secrets = Array.from({ length: 200 }, makeSecret);
  expect(new Set(secrets).size).toBe(200);
  for (const secret of secrets) {
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  }
});

test('an API key may be allowed no action or every action', () => {
  expect(parseActions([])).toEqual([]);
  expect(parseActions([...ACTIONS].reverse())).toEqual(ACTIONS);
});

test('an action that is listed twice is stored once', () => {
  expect(parseActions(['wrap', 'encrypt', 'wrap'])).toEqual(['encrypt', 'wrap']);
});

test.each(['', 'Encrypt', 'encrypt ', 'destroy', 'sign', '*', 'toString', '__proto__'])(
  'the unknown action "%s" is refused, by itself or among known actions',
  (name) => {
    const refused = expect.objectContaining({ code: 'invalid_allowed_actions' });
    expect(() => parseActions([name])).toThrow(refused);
    expect(() => parseActions(['encrypt', name, 'wrap'])).toThrow(refused);
  },
);

const [OCTOBER, NOVEMBER] = [monthSchema.parse('2026-10'), monthSchema.parse('2026-11')];

function counts(paid_keys_month: ObjectCounts['paid_keys_month'], paid_keys_created: number): ObjectCounts {
  const none = { keys: 0, free_keys: 0, api_keys: 0, containers: 1, firewalls: 0 };
  return { tenant_id: makeId(), ...none, paid_keys_month, paid_keys_created, federation_bytes: 0 };
}

test.each([
  [null, 0, OCTOBER, false, OCTOBER, 1],
  [OCTOBER, 7, OCTOBER, false, OCTOBER, 8],
  [OCTOBER, 100_000, OCTOBER, true, OCTOBER, 100_001],
  [OCTOBER, 100_000, NOVEMBER, false, NOVEMBER, 1],
  // A process whose clock is behind does not set the count back.
  [NOVEMBER, 100_000, OCTOBER, true, NOVEMBER, 100_001],
])('after %s with %i paid keys, a creation in %s finds the limit reached: %s', (...row) => {
  const [counted, created, month, isFull, nextMonth, next] = row;
  const slot = slotAmongPaidKeys(month);
  const before = counts(counted, created);
  expect(slot.isFull(before)).toBe(isFull);
  expect(slot.take(before)).toEqual({ ...before, paid_keys_month: nextMonth, paid_keys_created: next });
});

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
  const [{ id } = { id: makeId<InvitationId>() }] = team.invitations;
  for (const use of [invitationOf, removeInvitation]) {
    expect(() => use(team, id, later)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => use(team, id, makeInstant(later - 1))).not.toThrow();
  }
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
