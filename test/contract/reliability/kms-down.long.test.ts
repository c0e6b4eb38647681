import { expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, send, text } from '../../support/client.ts';
import { countsOf } from '../../support/counts.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys, hourLater, setFaults } from '../../support/steer.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = ownStack('--short-deadlines');
const FAILED = '500 internal_error';

const encrypt = ({ api }: Tenant, id: string) => api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AAAA' });
const decrypt = ({ api }: Tenant, id: string, ciphertext: string) =>
  api.send('POST', `/v1/keys/${id}/decrypt`, { ciphertext });

/** Makes two keys whose destruction needs the KMS, and a key whose destruction does not. */
async function prepareDestructions() {
  const tenant = await makeTenant(stack);
  const [retried, left] = [await tenant.createKey('software', 'orders'), await tenant.createKey('hsm', 'invoices')];
  const local = await tenant.createKey('wrapped');
  const destroy = (id: string) => tenant.console.send('POST', `/v1/keys/${id}/destroy`);
  const during = async () => {
    const failed = (await Promise.all([destroy(retried), destroy(left)])).map(outcome);
    return { failed, done: outcome(await destroy(local)), seen: await tryDueKey(tenant, retried) };
  };
  return { tenant, retried, left, destroy, during };
}

/** Sends requests to a key that is due for destruction. Returns the key and the answers. */
async function tryDueKey({ api, console }: Tenant, id: string) {
  const path = `/v1/keys/${id}`;
  const pending = read(keyObject, await api.send('GET', path));
  const refused = [
    await api.send('POST', `${path}/encrypt`, { plaintext: 'AAAA' }),
    await api.send('POST', `${path}/rotate`),
    await api.send('PATCH', path, { name: 'x' }),
    await console.send('POST', `${path}/restore`),
  ];
  return { pending, refused, again: await api.send('DELETE', path) };
}

function expectDue({ pending, refused, again }: Awaited<ReturnType<typeof tryDueKey>>): void {
  expect(pending.state).toBe('pending_deletion');
  expect(pending.destroy_after).toBe(pending.delete_requested_at);
  const windowClosed = '409 restore_window_closed';
  expect(refused.map(outcome)).toEqual([...Array(3).fill('409 key_pending_deletion'), windowClosed]);
  expect(refused[0] && text(refused[0], 'message')).toContain('can no longer be restored');
  expect(again).toMatchObject({ status: 200, body: pending });
}

test('a key whose destruction fails with 500 is unusable, and is destroyed by a retry or by destroy-due-keys', async () => {
  const { tenant, retried, left, destroy, during } = await prepareDestructions();
  await setFaults(stack, { kms: 'down' });
  const { failed, done, seen } = await during();
  await setFaults(stack, { kms: null });
  expect([failed, done]).toEqual([[FAILED, FAILED], '204']);
  expectDue(seen);
  expectDue(await tryDueKey(tenant, left));
  expect(outcome(await destroy(retried))).toBe('204');
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
      return { id, ciphertext: text(await encrypt(tenant, id), 'ciphertext') };
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
    expect((await decrypt(tenant, id, ciphertext)).body).toEqual({ plaintext: 'AAAA' });
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
