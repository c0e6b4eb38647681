import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { type FaultChanges, setFaults } from '../../support/steer.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = ownStack();
const UNAVAILABLE = '503 unavailable';
/** A delay longer than any deadline, including that of the policy decision point. */
const TOO_SLOW = { delay_ms: 120_000 };

const openBillingPage = async (tenant: Tenant, page: string) => tenant.console.send('POST', `/v1/billing/${page}`);

/** Each route with a key id that needs an action: method, end of the path, operation in the audit log, valid body. */
const ACTIONS = [
  ['POST', '/encrypt', 'encrypt', { plaintext: 'AAAA' }],
  ['POST', '/decrypt', 'decrypt', { ciphertext: 'AAAA' }],
  ['POST', '/wrap', 'wrap', {}],
  ['POST', '/unwrap', 'unwrap', { wrapped: 'AAAA' }],
  ['POST', '/rewrap', 'rewrap', { ciphertext: 'AAAA' }],
  ['POST', '/rotate', 'rotate_key', undefined],
  ['PATCH', '', 'rename_key', { name: 'renamed' }],
  ['DELETE', '', 'delete_key', undefined],
  ['POST', '/restore', 'restore_key', undefined],
] as const;

/** With an API key, performs each action on a key and creates another key. Returns the outcomes of the requests. */
async function outcomesOfActions(client: Client, key: string): Promise<string[]> {
  const requests = ACTIONS.map(([method, suffix, , body]) => client.send(method, `/v1/keys/${key}${suffix}`, body));
  const creation = client.send('POST', '/v1/keys', { name: randomUUID(), tier: 'software' });
  return (await Promise.all([...requests, creation])).map(outcome);
}

describe.each<[string, FaultChanges]>([
  ['down', { pdp: 'down' }],
  ['too slow', { pdp: TOO_SLOW }],
])('with the policy decision point %s', (_, fault) => {
  test('without a decision, every request that needs an action gets 503, and the failed operations are recorded but not counted', async () => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('software');
    const { client: actionless } = await tenant.mint({ allowed_actions: [] });
    const before = (await tenant.api.send('GET', '/v1/keys')).body;
    await setFaults(stack, fault);
    const refused = operate(tenant.api, key, 'wrap', {});
    const requests = Promise.all([tenant.api, actionless].map((client) => outcomesOfActions(client, key)));
    expect((await requests).flat()).toEqual(Array(20).fill(UNAVAILABLE));
    expect(text(await refused, 'message')).toContain('policy decision point');
    expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual(before);
    const [creation, ...rows] = inWords(await eventsOfKey(tenant.api, key));
    const expected = ACTIONS.flatMap(([, , operation]) => [`${operation} unavailable`, `${operation} unavailable`]);
    expect([creation, rows.toSorted()]).toEqual(['create_key', [...expected, 'wrap unavailable'].toSorted()]);
    expect(await lineOf(tenant.api, key)).toMatchObject({ ops: 0 });
    await setFaults(stack, { pdp: null });
    expect(outcome(await operate(tenant.api, key, 'wrap', {}))).toBe('200');
    expect(outcome(await operate(actionless, key, 'wrap', {}))).toBe('403 action_not_allowed');
  });

  test('without a decision, reads succeed and a key outside the API key’s key list gets 403, but changes by signed-in users get 503', async () => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('software');
    const { client: listed } = await tenant.mint({ key_ids: [key] });
    await setFaults(stack, fault);
    const path = `/v1/keys/${key}`;
    for (const to of ['/v1/keys', path, `${path}/audit`, '/v1/usage']) {
      expect(outcome(await tenant.api.send('GET', to))).toBe('200');
    }
    const refused = await operate(listed, randomUUID(), 'wrap', {});
    expect(outcome(refused)).toBe('403 key_not_allowed');
    for (const to of ['/v1/keys', path, '/v1/api-keys', '/v1/members', '/v1/audit']) {
      expect(outcome(await tenant.console.send('GET', to))).toBe('200');
    }
    for (const [method, to, body] of [
      ['PATCH', path, { name: randomUUID() }],
      ['POST', '/v1/keys', { name: randomUUID(), tier: 'software' }],
      ['POST', '/v1/containers', { name: randomUUID() }],
      ['POST', '/v1/invitations', { role: 'auditor' }],
    ] as const) {
      expect(outcome(await tenant.console.send(method, to, body))).toBe('503 unavailable');
    }
  });
});

test('a decision that a slow policy decision point makes before the deadline is applied', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  const { client: actionless } = await tenant.mint({ allowed_actions: [] });
  await setFaults(stack, { pdp: { delay_ms: 200 } });
  expect(outcome(await operate(tenant.api, key, 'wrap', {}))).toBe('200');
  expect(outcome(await operate(actionless, key, 'wrap', {}))).toBe('403 action_not_allowed');
});

/** For the payment provider's deadline, see the test in billing/deadline.test.ts. */
test('with the payment provider down, POST /v1/billing/checkout and POST /v1/billing/portal fail with 503', async () => {
  const [unpaid, paid] = [await makeTenant(stack, 'none'), await makeTenant(stack)];
  await setFaults(stack, { stripe: 'down' });
  const answers = await Promise.all([openBillingPage(unpaid, 'checkout'), openBillingPage(paid, 'portal')]);
  expect(answers.map(outcome)).toEqual([UNAVAILABLE, UNAVAILABLE]);
  for (const answer of answers) expect(text(answer, 'message')).toContain('payment provider');
  await setFaults(stack, { stripe: null });
  const recovered = await Promise.all([openBillingPage(unpaid, 'checkout'), openBillingPage(paid, 'portal')]);
  expect(recovered.map(outcome)).toEqual(['200', '200']);
});

test.each<[string, FaultChanges]>([
  ['down', { stripe: 'down' }],
  ['too slow', { stripe: TOO_SLOW }],
])(
  'with the payment provider %s, keys are still created and used according to the stored billing standing',
  async (_, fault) => {
    const [unpaid, paid] = [await makeTenant(stack, 'none'), await makeTenant(stack)];
    await setFaults(stack, fault);
    const key = await paid.createKey('wrapped');
    expect(outcome(await operate(paid.api, key, 'wrap', {}))).toBe('200');
    const refused = await unpaid.api.send('POST', '/v1/keys', { name: 'orders', tier: 'wrapped' });
    expect(outcome(refused)).toBe('402 billing_required');
    expect(outcome(await paid.console.send('GET', '/v1/billing'))).toBe('200');
  },
);
