import { beforeAll, describe, expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { type Answer, outcome, text } from '../../support/client.ts';
import { bodiesFor, encrypt, METERED, operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { setFaults } from '../../support/steer.ts';
import { ALL_TIERS, makeTenant, type Tenant, type Tier } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = ownStack('--short-deadlines');
const FAILED = '500 internal_error';

/** Runs all five operations at once. Returns their answers in the order of {@link METERED}. */
async function performAll(tenant: Tenant, key: string, bodies: Record<string, unknown>): Promise<Answer[]> {
  return Promise.all(METERED.map((operation) => operate(tenant.api, key, operation, bodies[operation])));
}

describe('with the KMS down', () => {
  let tenant: Tenant;
  /** Keys that were used, so that their data keys are in memory. `cold` is a key that was not used. */
  let used: { tier: Tier; key: string; bodies: Record<string, unknown>; answers: Answer[] }[];
  let cold: { key: string; answer: Answer };

  beforeAll(async () => {
    tenant = await makeTenant(stack);
    used = await Promise.all(
      ALL_TIERS.map(async (tier) => {
        const key = await tenant.createKey(tier);
        return { tier, key, bodies: await bodiesFor(tenant.api, key), answers: [] };
      }),
    );
    const key = await tenant.createKey('wrapped');
    await setFaults(stack, { kms: 'down' });
    const unused = operate(tenant.api, key, 'wrap', {});
    const requests = used.map(async (one) => ({ ...one, answers: await performAll(tenant, one.key, one.bodies) }));
    used = await Promise.all(requests);
    cold = { key, answer: await unused };
    await setFaults(stack, { kms: null });
  });

  test.each(['software', 'hsm'])(
    'without the KMS, operations on %s keys fail with 500 and are recorded but not counted; after the fault, they succeed',
    async (tier) => {
      const { key, bodies, answers = [] } = used.find((one) => one.tier === tier) ?? {};
      if (key === undefined || bodies === undefined) throw new Error(`no ${tier} key`);
      expect(answers.map(outcome)).toEqual(Array(5).fill(FAILED));
      expect(answers.map((answer) => text(answer, 'message'))).toEqual(Array(5).fill('internal error'));
      const rows = inWords(await eventsOfKey(tenant.api, key))
        .slice(2)
        .toSorted();
      expect(rows).toEqual(METERED.map((operation) => `${operation} internal_error`).toSorted());
      expect((await lineOf(tenant.api, key)).ops).toBe(1);
      // The connection is made again within a second, which is as long as the short deadline.
      await expect.poll(async () => outcome(await operate(tenant.api, key, 'wrap', {}))).toBe('200');
      expect((await performAll(tenant, key, bodies)).map(outcome)).toEqual(Array(5).fill('200'));
    },
  );

  test('without the KMS, free and wrapped keys still work if their data keys are in memory', () => {
    const local = used.filter(({ tier }) => tier === 'free' || tier === 'wrapped');
    expect(local.map(({ answers }) => answers.map(outcome))).toEqual(Array(2).fill(Array(5).fill('200')));
  });

  test('an operation on a wrapped key whose data key is not in memory fails with 500 until the KMS answers', async () => {
    expect(outcome(cold.answer)).toBe(FAILED);
    expect(outcome(await operate(tenant.api, cold.key, 'wrap', {}))).toBe('200');
    expect((await lineOf(tenant.api, cold.key)).ops).toBe(1);
  });
});

test('operations succeed with a slow KMS that answers within its deadline', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  await setFaults(stack, { kms: { delay_ms: 300 } });
  const ciphertext = await encrypt(tenant.api, key, 'aGVsbG8=');
  expect((await operate(tenant.api, key, 'decrypt', { ciphertext })).body).toEqual({ plaintext: 'aGVsbG8=' });
});

test.each(['free', 'software'] as const)(
  'if audit rows cannot be written, an operation on a %s key fails with 500 and is counted',
  async (tier) => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey(tier);
    const bodies = await bodiesFor(tenant.api, key);
    await setFaults(stack, { audit_rows: 'down' });
    expect((await performAll(tenant, key, bodies)).map(outcome)).toEqual(Array(5).fill(FAILED));
    await setFaults(stack, { audit_rows: null });
    expect((await lineOf(tenant.api, key)).ops).toBe(6);
    expect(inWords(await eventsOfKey(tenant.api, key))).toEqual(['create_key', 'encrypt']);
    expect((await performAll(tenant, key, bodies)).map(outcome)).toEqual(Array(5).fill('200'));
    expect((await lineOf(tenant.api, key)).ops).toBe(11);
  },
);

test.each([
  ['rename', 'PATCH', '', { name: 'renamed' }],
  ['delete', 'DELETE', '', undefined],
  ['rotate', 'POST', '/rotate', undefined],
  ['restore', 'POST', '/restore', undefined],
] as const)(
  'if audit rows cannot be written, a request to %s a key fails with 500 and changes nothing',
  async (what, method, suffix, body) => {
    const tenant = await makeTenant(stack);
    const keys = await Promise.all((['wrapped', 'software'] as const).map((tier) => tenant.createKey(tier)));
    for (const key of what === 'restore' ? keys : []) await tenant.api.send('DELETE', `/v1/keys/${key}`);
    const before = (await tenant.api.send('GET', '/v1/keys')).body;
    const sendAll = () => Promise.all(keys.map((key) => tenant.api.send(method, `/v1/keys/${key}${suffix}`, body)));
    await setFaults(stack, { audit_rows: 'down' });
    expect((await sendAll()).map(outcome)).toEqual([FAILED, FAILED]);
    await setFaults(stack, { audit_rows: null });
    expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual(before);
    // The same request now succeeds: for example, a failed rename has not taken the new name.
    expect(outcome(await tenant.api.send(method, `/v1/keys/${keys[0]}${suffix}`, body))).toBe('200');
  },
);
