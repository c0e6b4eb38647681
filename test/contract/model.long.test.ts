import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { keyEventsOfTenant } from '../support/audit.ts';
import { list } from '../support/client.ts';
import { commands, expectList } from './model/commands.ts';
import { makeSetting, type Setting } from './model/setting.ts';
import type { World } from './model/world.ts';

const stack = inject('stack');

/** Checks that the lists, the usage report and the audit log of every tenant match the model. */
async function expectAgreement(world: World, setting: Setting): Promise<void> {
  for (const actor of world.actors) await expectList(world, setting, actor);
  for (const [index, actor] of world.actors.entries()) {
    const client = setting.clients[index];
    if (actor.kind !== 'session' || client === undefined) continue;
    const usage = list(await setting.ask(actor, 'GET', '/v1/usage'));
    const counted = world.keys.filter(({ tenant, state, ops }) => {
      return tenant === actor.tenant && (state !== 'destroyed' || ops > 0);
    });
    expect(usage.map(({ key_id, ops }) => ({ key_id, ops }))).toEqual(
      counted.map(({ id, ops }) => ({ key_id: id, ops })),
    );
    await setting.ask(actor, 'GET', '/v1/audit?limit=1000');
    const rows = (await keyEventsOfTenant(client)).map(({ operation, error_code, key_id, api_key_id, user_id }) => {
      return { operation, error_code, key_id, api_key_id, user_id };
    });
    expect(rows.reverse()).toEqual(world.rows[actor.tenant]);
  }
}

test('for any sequence of requests from two tenants, every answer, list, count and audit row matches the model', async () => {
  const property = fc.asyncProperty(commands, async (steps) => {
    const { world, setting } = await makeSetting(stack);
    await fc.asyncModelRun(() => ({ model: world, real: setting }), steps);
    await expectAgreement(world, setting);
  });
  // The runs are parallel, because each run mostly waits. A failed run prints a seed that repeats the run.
  // Failures are not shrunk, because shrinking takes too long against a real stack.
  const runs = Array.from({ length: 3 }, () => fc.assert(property, { numRuns: 1, endOnFailure: true }));
  await Promise.all(runs);
});
