import { beforeEach, expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, send, text } from '../../support/client.ts';
import { countsOf } from '../../support/counts.ts';
import { forgetTenants } from '../../support/forget.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { bodiesFor, encrypt, METERED, operate, performAll } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys, hourLater, setFaults } from '../../support/steer.ts';
import { ALL_TIERS, makeTenant, type Tenant } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = ownStack('--short-deadlines');
beforeEach(() => forgetTenants(stack));
const FAILED = '500 internal_error';
const UNAVAILABLE = '503 unavailable';

test('without a decision, operations get 503, whether they are allowed or not, and are recorded but not counted', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  const bodies = await bodiesFor(tenant.api, key);
  const { client: actionless } = await tenant.mint({ allowed_actions: [] });
  await setFaults(stack, { pdp: 'down' });
  const answers = await Promise.all([tenant.api, actionless].map((api) => performAll({ api }, key, bodies)));
  expect(answers.flat().map(outcome)).toEqual(Array(10).fill(UNAVAILABLE));
  for (const answer of answers.flat()) expect(text(answer, 'message')).toContain('policy decision point');
  const rows = inWords(await eventsOfKey(tenant.api, key)).slice(2);
  expect(rows.toSorted()).toEqual(METERED.flatMap((operation) => Array(2).fill(`${operation} unavailable`)).toSorted());
  expect(await lineOf(tenant.api, key)).toMatchObject({ ops: 1 });
  await setFaults(stack, { pdp: null });
  expect(outcome(await operate(tenant.api, key, 'wrap', {}))).toBe('200');
  expect(outcome(await operate(actionless, key, 'wrap', {}))).toBe('403 action_not_allowed');
});

test('operations succeed with a slow KMS and a slow policy decision point that answer before their deadlines', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  const { client: actionless } = await tenant.mint({ allowed_actions: [] });
  await setFaults(stack, { kms: { delay_ms: 300 }, pdp: { delay_ms: 200 } });
  const ciphertext = await encrypt(tenant.api, key, 'aGVsbG8=');
  expect((await operate(tenant.api, key, 'decrypt', { ciphertext })).body).toEqual({ plaintext: 'aGVsbG8=' });
  expect(outcome(await operate(actionless, key, 'wrap', {}))).toBe('403 action_not_allowed');
});

test('without the KMS, keys work if their data keys are in memory; other operations fail with 500, are recorded but not counted, and succeed after the fault', async () => {
  const tenant = await makeTenant(stack);
  const used = await Promise.all(
    ALL_TIERS.map(async (tier) => {
      const key = await tenant.createKey(tier);
      return { isLocal: tier === 'free' || tier === 'wrapped', key, bodies: await bodiesFor(tenant.api, key) };
    }),
  );
  const cold = await tenant.createKey('wrapped');
  await setFaults(stack, { kms: 'down' });
  const unused = operate(tenant.api, cold, 'wrap', {});
  const answers = await Promise.all(used.map(({ key, bodies }) => performAll(tenant, key, bodies)));
  expect(outcome(await unused)).toBe(FAILED);
  await setFaults(stack, { kms: null });
  for (const [at, { isLocal, key, bodies }] of used.entries()) {
    const found = answers[at] ?? [];
    expect(found.map(outcome)).toEqual(Array(5).fill(isLocal ? '200' : FAILED));
    expect((await lineOf(tenant.api, key)).ops).toBe(isLocal ? 6 : 1);
    if (isLocal) continue;
    expect(found.map((answer) => text(answer, 'message'))).toEqual(Array(5).fill('internal error'));
    const rows = inWords(await eventsOfKey(tenant.api, key)).slice(2);
    expect(rows.toSorted()).toEqual(METERED.map((operation) => `${operation} internal_error`).toSorted());
    // The connection is made again within a second, which is as long as the short deadline.
    await expect.poll(async () => outcome(await operate(tenant.api, key, 'wrap', {}))).toBe('200');
    expect((await performAll(tenant, key, bodies)).map(outcome)).toEqual(Array(5).fill('200'));
  }
  expect(outcome(await operate(tenant.api, cold, 'wrap', {}))).toBe('200');
  expect((await lineOf(tenant.api, cold)).ops).toBe(1);
});

async function expectDue({ api, console }: Tenant, id: string): Promise<void> {
  const path = `/v1/keys/${id}`;
  const pending = read(keyObject, await api.send('GET', path));
  expect([pending.state, pending.destroy_after]).toEqual(['pending_deletion', pending.delete_requested_at]);
  const encrypted = await api.send('POST', `${path}/encrypt`, { plaintext: 'AAAA' });
  expect(text(encrypted, 'message')).toContain('can no longer be restored');
  const refused = [encrypted, await api.send('POST', `${path}/rotate`), await api.send('PATCH', path, { name: 'x' })];
  expect(refused.map(outcome)).toEqual(Array(3).fill('409 key_pending_deletion'));
  expect(outcome(await console.send('POST', `${path}/restore`))).toBe('409 restore_window_closed');
  expect(await api.send('DELETE', path)).toMatchObject({ status: 200, body: pending });
}

test('a key whose destruction fails with 500 is unusable, and is destroyed by a retry or by destroy-due-keys', async () => {
  const tenant = await makeTenant(stack);
  // The destruction of two of the keys needs the KMS.
  const [retried, left] = [await tenant.createKey('software', 'orders'), await tenant.createKey('hsm', 'invoices')];
  const local = await tenant.createKey('wrapped');
  const destroy = async (id: string) => outcome(await tenant.console.send('POST', `/v1/keys/${id}/destroy`));
  await setFaults(stack, { kms: 'down' });
  expect(await Promise.all([retried, left, local].map(destroy))).toEqual([FAILED, FAILED, '204']);
  await expectDue(tenant, retried);
  await setFaults(stack, { kms: null });
  await expectDue(tenant, left);
  expect(await destroy(retried)).toBe('204');
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 1, finished: 0, cleared: 0, failed: 0 });
  for (const id of [retried, left]) {
    expect(outcome(await tenant.api.send('GET', `/v1/keys/${id}`))).toBe('404 not_found');
    expect(await kmsVersionStates(stack, id)).toEqual(['DESTROY_SCHEDULED']);
    const rows = inWords(await eventsOfKey(tenant.api, id)).filter((row) => row.startsWith('destroy_key'));
    expect(rows).toEqual(['destroy_key internal_error', 'destroy_key']);
  }
  const [byUser, byService] = [await eventsOfKey(tenant.api, retried), await eventsOfKey(tenant.api, left)];
  expect(byUser[0]?.user_id).toMatch(/./);
  expect(byService[0]).toMatchObject({ api_key_id: null, user_id: null });
});

test('rotations and creations that fail during an outage change nothing, and destroy-due-keys clears what they left in the KMS', async () => {
  const tenant = await makeTenant(stack);
  const tiers = ['wrapped', 'software', 'hsm'] as const;
  const keys = await Promise.all(
    tiers.map(async (tier) => {
      const id = await tenant.createKey(tier);
      return { id, ciphertext: await encrypt(tenant.api, id, 'AAAA') };
    }),
  );
  const before = (await tenant.api.send('GET', '/v1/keys')).body;
  const rotate = (id: string) => tenant.api.send('POST', `/v1/keys/${id}/rotate`);
  const create = async () => {
    const answers = tiers.map((tier) => tenant.api.send('POST', '/v1/keys', { name: `a ${tier} key`, tier }));
    return (await Promise.all(answers)).map(outcome);
  };
  await setFaults(stack, { kms: 'down' });
  const rotated = Promise.all(keys.map(({ id }) => rotate(id)));
  expect([(await rotated).map(outcome), await create()]).toEqual(Array(2).fill(Array(3).fill(FAILED)));
  await setFaults(stack, { kms: null });
  expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual(before);
  expect(await countsOf(stack, tenant.id)).toMatchObject({ keys: 3 });
  for (const { id, ciphertext } of keys) {
    expect((await operate(tenant.api, id, 'decrypt', { ciphertext })).body).toEqual({ plaintext: 'AAAA' });
  }
  expect(await create()).toEqual(Array(3).fill('201'));
  await hourLater(stack);
  // The creation of the `wrapped` key left nothing, because the key has no CryptoKey.
  expect(await destroyDueKeys(stack)).toMatchObject({ finished: 3, cleared: 2, failed: 0 });
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 0, finished: 0, cleared: 0, failed: 0 });
  for (const { id } of keys) expect(read(keyObject, await rotate(id)).primary_version).toBe(2);
  expect(read(keyObject.array(), await tenant.api.send('GET', '/v1/keys'))).toHaveLength(6);
});

test('GET /health/ready shows the start and the end of a dependency’s fault immediately, even right after an earlier check', async () => {
  const ready = () => send('GET', `${stack.baseUrl}/health/ready`);
  const allWell = { firestore: 'ok', kms: 'ok', policy: 'ok' };
  for (const [part, found] of [
    ['kms', { ...allWell, kms: 'unavailable' }],
    ['pdp', { ...allWell, policy: 'unavailable' }],
  ] as const) {
    await expect.poll(ready).toMatchObject({ status: 200, body: { checks: allWell } });
    await setFaults(stack, { [part]: 'down' });
    expect(await ready()).toMatchObject({ status: 503, body: { status: 'unavailable', checks: found } });
    await setFaults(stack, { [part]: null });
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ok', checks: allWell } });
  }
});
