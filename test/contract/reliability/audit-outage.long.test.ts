import { beforeEach, expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { stateOf } from '../../support/bad-credentials.ts';
import { goodRequests, readCases, sendGood } from '../../support/cases.ts';
import { outcome } from '../../support/client.ts';
import { forgetTenants } from '../../support/forget.ts';
import { bodiesFor, performAll } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { setFaults } from '../../support/steer.ts';
import { makeTenant } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

// Firestore refuses audit rows immediately, so these tests do not need short deadlines, which a busy machine can exceed.
const stack = ownStack();
beforeEach(() => forgetTenants(stack));
const FAILED = '500 internal_error';

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

test('if audit rows cannot be written, each change of an administrator fails with 500 and changes nothing', async () => {
  const tenant = await makeTenant(stack);
  const requests = await goodRequests(tenant);
  // Only a destruction leaves a trace: the key stays unusable.
  const changes = (await readCases()).filter(
    ({ credential, event, call }) => credential === 'console' && event !== undefined && !call.endsWith('/destroy'),
  );
  expect(changes.length).toBeGreaterThan(10);
  const before = await stateOf(tenant);
  await setFaults(stack, { audit_rows: 'down' });
  for (const { call } of changes) {
    expect(`${call}: ${outcome(await sendGood(tenant.console, call, requests))}`).toBe(`${call}: ${FAILED}`);
  }
  await setFaults(stack, { audit_rows: null });
  expect(await stateOf(tenant)).toEqual(before);
});
