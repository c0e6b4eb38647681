import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { eventsOfTenant } from '../../support/audit.ts';
import { type Answer, outcome } from '../../support/client.ts';
import { invitationObject, memberObject, meObject, newInvitationObject, read } from '../../support/objects.ts';
import { meOf, type Role, signInSomebody } from '../../support/team.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const FOUNDERS = 2;
const OTHERS = 3;
const PEOPLE = FOUNDERS + OTHERS;

/** A person in the model: their session, and the user id and tenant that the service should have for them. */
interface ModelPerson {
  readonly session: Client;
  /** A random id until the service reports the real one. */
  userId: string;
  tenant: ModelTenant | undefined;
}

interface ModelInvitation {
  readonly id: string;
  readonly token: string;
  readonly role: Role;
  readonly by: ModelPerson;
  readonly tenant: ModelTenant;
}

interface ModelRow {
  readonly operation: string;
  readonly user_id: string;
  readonly target_id: string | null;
  readonly error_code: string | null;
}

interface ModelTenant {
  readonly id: string;
  /** Whether the tenant has no API key, so that its only member can move to another tenant. */
  readonly isEmpty: boolean;
  /** The members, in the order in which they joined. */
  readonly members: Map<ModelPerson, Role>;
  /** Usable invitations, oldest first. */
  invitations: ModelInvitation[];
  /** The audit events, oldest first. */
  readonly rows: ModelRow[];
}

interface World {
  readonly people: readonly ModelPerson[];
  readonly tenants: Set<ModelTenant>;
  /** Every invitation ever made, usable or not. */
  readonly invitations: ModelInvitation[];
}

function foundTenant(world: World, founder: ModelPerson, id: string, isEmpty: boolean): void {
  founder.tenant = { id, isEmpty, members: new Map([[founder, 'owner']]), invitations: [], rows: [] };
  world.tenants.add(founder.tenant);
}

/** Makes people who each have a tenant with an API key, and people without a tenant. */
async function makeWorld(): Promise<World> {
  const tenants = await Promise.all(Array.from({ length: FOUNDERS }, () => makeTenant(stack)));
  const withoutTenant = await Promise.all(Array.from({ length: OTHERS }, () => signInSomebody(stack)));
  const sessions = [...tenants.map(({ console }) => console), ...withoutTenant];
  const people = sessions.map((session): ModelPerson => ({ session, userId: randomUUID(), tenant: undefined }));
  const world: World = { people, tenants: new Set(), invitations: [] };
  for (const [index, { id }] of tenants.entries()) {
    const founder = people[index] ?? expect.unreachable();
    founder.userId = (await meOf(founder.session)).user.id;
    foundTenant(world, founder, id, false);
  }
  return world;
}

/**
 * An action of the person `who`, if necessary on the person `whom`. Both are indexes of all people, but with `fellow`,
 * `whom` is an index of the members of the tenant of `who`. `which` is the index of an invitation, counted from the
 * latest.
 */
interface Step {
  readonly does: 'visit' | 'invite' | 'accept' | 'revoke' | 'set role' | 'remove' | 'leave';
  readonly who: number;
  readonly whom: number;
  readonly fellow: boolean;
  readonly which: number;
  readonly role: Role;
}

const steps = fc.array(
  fc.record<Step>({
    does: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('invite', 'accept') },
      { weight: 4, arbitrary: fc.constantFrom('set role', 'remove') },
      { weight: 2, arbitrary: fc.constantFrom('visit', 'revoke', 'leave') },
    ),
    who: fc.nat(PEOPLE - 1),
    whom: fc.nat(PEOPLE - 1),
    fellow: fc.boolean(),
    which: fc.nat(3),
    role: fc.constantFrom('owner', 'admin', 'auditor'),
  }),
  { minLength: 80, maxLength: 80 },
);

async function runStep(world: World, step: Step): Promise<void> {
  const who = world.people[step.who];
  const fellows = step.fellow ? [...(who?.tenant?.members.keys() ?? [])] : [];
  const whom = step.does === 'leave' ? who : (fellows[step.whom % fellows.length] ?? world.people[step.whom]);
  const invitation = world.invitations.at(-1 - step.which);
  if (who === undefined || whom === undefined) throw new Error('the step names a person that does not exist');
  if (step.does === 'visit') return visit(world, who);
  if (step.does === 'invite') return invite(world, who, step.role);
  if (step.does === 'set role') return setRole(who, whom, step.role);
  if (step.does === 'remove' || step.does === 'leave') return remove(who, whom);
  if (invitation !== undefined)
    return step.does === 'accept' ? accept(world, who, invitation) : revoke(who, invitation);
}

/** Calls `GET /v1/me`, which creates a tenant for a person who has none. */
async function visit(world: World, who: ModelPerson): Promise<void> {
  const me = read(meObject, await who.session.send('GET', '/v1/me'));
  who.userId = me.user.id;
  if (who.tenant === undefined) foundTenant(world, who, me.tenant.id, true);
  expect([me.tenant.id, me.role]).toEqual([who.tenant?.id, who.tenant?.members.get(who)]);
}

async function invite(world: World, who: ModelPerson, role: Role): Promise<void> {
  const answer = await who.session.send('POST', '/v1/invitations', { role });
  if (isRefused(who, answer, 'invite_member', null)) return;
  const { id, token } = read(newInvitationObject, answer);
  const { tenant } = who;
  if (tenant === undefined) throw new Error('a person without a tenant could invite somebody');
  const invitation = { id, token, role, by: who, tenant };
  tenant.invitations.push(invitation);
  world.invitations.push(invitation);
  record(who, 'invite_member', id);
}

async function accept(world: World, who: ModelPerson, invitation: ModelInvitation): Promise<void> {
  const { tenant, id, token, role } = invitation;
  const answer = await who.session.send('POST', '/v1/invitations/accept', { token });
  const own = who.tenant;
  const isLive = world.tenants.has(tenant) && tenant.invitations.includes(invitation);
  const mayLeave = own === undefined || (own !== tenant && own.isEmpty && own.members.size === 1);
  const expected = isLive ? (mayLeave ? '200' : '409 already_member') : '404 not_found';
  expect(outcome(answer)).toBe(expected);
  if (expected !== '200') return;
  if (own !== undefined) world.tenants.delete(own);
  who.userId = read(meObject, answer).user.id;
  who.tenant = tenant;
  tenant.members.set(who, role);
  tenant.invitations = tenant.invitations.filter((one) => one !== invitation);
  record(who, 'accept_invitation', id);
}

async function revoke(who: ModelPerson, invitation: ModelInvitation): Promise<void> {
  const { id } = invitation;
  const answer = await who.session.send('DELETE', `/v1/invitations/${id}`);
  const isHere = who.tenant?.invitations.includes(invitation) === true;
  if (isRefused(who, answer, 'revoke_invitation', isHere ? id : undefined)) return;
  expect(outcome(answer)).toBe(isHere ? '204' : '404 not_found');
  if (!isHere || who.tenant === undefined) return;
  who.tenant.invitations = who.tenant.invitations.filter((one) => one !== invitation);
  record(who, 'revoke_invitation', id);
}

async function setRole(who: ModelPerson, whom: ModelPerson, role: Role): Promise<void> {
  const answer = await who.session.send('PATCH', `/v1/members/${whom.userId}`, { role });
  const before = who.tenant?.members.get(whom);
  if (isRefused(who, answer, 'change_role', before && whom.userId)) return;
  const isLast = before === 'owner' && role !== 'owner' && isLastOwner(whom);
  expect(outcome(answer)).toBe(before === undefined ? '404 not_found' : isLast ? '409 last_owner' : '200');
  if (before === undefined || before === role || isLast) return;
  who.tenant?.members.set(whom, role);
  if (before === 'owner') revokeAllOf(whom);
  record(who, 'change_role', whom.userId);
}

async function remove(who: ModelPerson, whom: ModelPerson): Promise<void> {
  const answer = await who.session.send('DELETE', `/v1/members/${whom.userId}`);
  const before = who.tenant?.members.get(whom);
  if ((who !== whom || who.tenant === undefined) && isRefused(who, answer, 'remove_member', before && whom.userId))
    return;
  const isLast = before === 'owner' && isLastOwner(whom);
  expect(outcome(answer)).toBe(before === undefined ? '404 not_found' : isLast ? '409 last_owner' : '204');
  if (before === undefined || isLast) return;
  revokeAllOf(whom);
  record(who, 'remove_member', whom.userId);
  who.tenant?.members.delete(whom);
  whom.tenant = undefined;
}

/**
 * Returns `false` if the caller is an owner. For any other caller, checks that the request was refused, and returns
 * `true`. Records a refusal because of the role, unless `target` is undefined because the object belongs to another
 * tenant.
 */
function isRefused(who: ModelPerson, answer: Answer, operation: string, target: string | null | undefined): boolean {
  const role = who.tenant?.members.get(who);
  if (role === 'owner') return false;
  expect(outcome(answer)).toBe(role === undefined ? '403 no_tenant' : '403 role_not_allowed');
  if (role !== undefined && target !== undefined) record(who, operation, target, 'role_not_allowed');
  return true;
}

function record(who: ModelPerson, operation: string, target_id: string | null, error_code: string | null = null): void {
  const row: ModelRow = { operation, user_id: who.userId, target_id, error_code };
  who.tenant?.rows.push(row);
}

function isLastOwner({ tenant }: ModelPerson): boolean {
  return [...(tenant?.members.values() ?? [])].filter((role) => role === 'owner').length === 1;
}

function revokeAllOf(whom: ModelPerson): void {
  if (whom.tenant === undefined) return;
  whom.tenant.invitations = whom.tenant.invitations.filter(({ by }) => by !== whom);
}

const OPERATIONS = ['invite_member', 'revoke_invitation', 'accept_invitation', 'change_role', 'remove_member'];

const ownerOf = ({ members }: ModelTenant): ModelPerson =>
  [...members].find(([, role]) => role === 'owner')?.[0] ?? expect.unreachable();

/** Checks that each tenant has an owner and the model's members and invitations, and that nobody has two tenants. */
async function expectTeams({ tenants }: World): Promise<void> {
  const allUserIds: string[] = [];
  const check = async (tenant: ModelTenant) => {
    const { session } = ownerOf(tenant);
    const [members, invitations] = await Promise.all([
      session.send('GET', '/v1/members').then((answer) => read(z.array(memberObject), answer)),
      session.send('GET', '/v1/invitations').then((answer) => read(z.array(invitationObject), answer)),
    ]);
    expect(members.some(({ role }) => role === 'owner')).toBe(true);
    expect(members.map(({ user_id, role }) => [user_id, role])).toEqual(
      [...tenant.members].map(([{ userId }, role]) => [userId, role]),
    );
    expect(invitations.map(({ id }) => id)).toEqual(tenant.invitations.map(({ id }) => id));
    allUserIds.push(...members.map(({ user_id }) => user_id));
  };
  await Promise.all([...tenants].map(check));
  expect(new Set(allUserIds).size).toBe(allUserIds.length);
}

/** Checks that the audit log of every tenant has each change and refusal of the model once, newest first. */
async function expectLogs({ tenants }: World): Promise<void> {
  for (const tenant of tenants) {
    const events = (await eventsOfTenant(ownerOf(tenant).session)).filter(({ operation }) =>
      OPERATIONS.includes(operation),
    );
    const rows = events.map(({ operation, user_id, target_id, error_code }) => {
      return { operation, user_id, target_id, error_code };
    });
    expect(rows).toEqual(tenant.rows.toReversed());
  }
}

test('after any sequence of team changes, each tenant has an owner, nobody has two tenants and the audit log has each change once', async () => {
  const property = fc.asyncProperty(steps, async (chosen) => {
    const world = await makeWorld();
    for (const step of chosen) {
      await runStep(world, step);
      await expectTeams(world);
    }
    await expectLogs(world);
  });
  // The runs are parallel, because each run mostly waits. A failed run prints the seed that repeats it. Failures are
  // not shrunk, because shrinking takes too long.
  const runs = Array.from({ length: 4 }, () => fc.assert(property, { numRuns: 1, endOnFailure: true }));
  await Promise.all(runs);
});
