import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { setFaults } from '../../support/steer.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = ownStack();
const UNAVAILABLE = '503 unavailable';
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

test('without a decision, every request that needs an action gets 503, and the failed operations are recorded but not counted', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  const { client: actionless } = await tenant.mint({ allowed_actions: [] });
  const before = (await tenant.api.send('GET', '/v1/keys')).body;
  await setFaults(stack, { pdp: 'down' });
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

test('a decision that a slow policy decision point makes before the deadline is applied', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  const { client: actionless } = await tenant.mint({ allowed_actions: [] });
  await setFaults(stack, { pdp: { delay_ms: 200 } });
  expect(outcome(await operate(tenant.api, key, 'wrap', {}))).toBe('200');
  expect(outcome(await operate(actionless, key, 'wrap', {}))).toBe('403 action_not_allowed');
});
