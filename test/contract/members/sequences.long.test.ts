import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { eventsOfTenant } from '../../support/audit.ts';
import { invitationObject, memberObject, read } from '../../support/objects.ts';
import { runStep, stepsOf } from './team-steps.ts';
import { type ModelPerson, type ModelTenant, makeWorld, type World } from './team-world.ts';

const stack = inject('stack');
const FOUNDERS = 2;
const OTHERS = 3;

/** The operations that change a team. */
const OPERATIONS = ['invite_member', 'revoke_invitation', 'accept_invitation', 'change_role', 'remove_member'];

function ownerOf({ members }: ModelTenant): ModelPerson {
  const [owner] = [...members].find(([, role]) => role === 'owner') ?? [];
  if (owner === undefined) throw new Error('the model has a tenant without an owner');
  return owner;
}

/**
 * Checks that every tenant has an owner and has the members and invitations of the model, and that nobody has two
 * tenants.
 */
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
  const property = fc.asyncProperty(stepsOf(FOUNDERS + OTHERS), async (steps) => {
    const world = await makeWorld(stack, FOUNDERS, OTHERS);
    for (const step of steps) {
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
