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
  if (owner === undefined) throw new Error('a tenant has no owner');
  return owner;
}

/** Compares the members and invitations of every tenant with the model's. A refusal must not have changed them. */
async function expectTeams({ tenants }: World): Promise<void> {
  const everywhere: string[] = [];
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
    everywhere.push(...members.map(({ user_id }) => user_id));
  };
  await Promise.all([...tenants].map(check));
  expect(new Set(everywhere).size).toBe(everywhere.length);
}

/** Checks that the audit log of every tenant has each change of the model once, newest first. */
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

test('after any team changes, each tenant has an owner, nobody has two tenants and the log has each change once', async () => {
  const property = fc.asyncProperty(stepsOf(FOUNDERS + OTHERS), async (steps) => {
    const world = await makeWorld(stack, FOUNDERS, OTHERS);
    for (const step of steps) {
      await runStep(world, step);
      await expectTeams(world);
    }
    await expectLogs(world);
  });
  // Concurrent, because each run mostly waits. A failure prints its seed; shrinking would take too long.
  const runs = Array.from({ length: 4 }, () => fc.assert(property, { numRuns: 1, endOnFailure: true }));
  await Promise.all(runs);
});
