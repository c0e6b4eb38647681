import { beforeEach, expect, test } from 'vitest';
import { eventsOfKey, eventsOfTenant, inWords } from '../support/audit.ts';
import { outcome, send, text } from '../support/client.ts';
import { countsOf } from '../support/counts.ts';
import { kmsVersionStates } from '../support/kms.ts';
import { keyObject, read } from '../support/objects.ts';
import { ownStack } from '../support/own-stack.ts';
import { destroyDueKeys, HOUR_MS, later, MINUTE_MS, setClock, setFaults, settleKeys } from '../support/steer.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = ownStack();

beforeEach(() => settleKeys(stack));

const inAnHour = () => setClock(stack, new Date(Date.now() + HOUR_MS).toISOString());

test('with the KMS down, destroying a key now is 500 and leaves it pending and due, refusing all; a retry or a run finishes it', async () => {
  const tenant = await makeTenant(stack);
  const [retried, left] = [await tenant.createKey('software', 'orders'), await tenant.createKey('hsm', 'invoices')];
  const destroy = (id: string) => tenant.console.send('POST', `/v1/keys/${id}/destroy`);
  await setFaults(stack, { kms: 'down' });
  const failed = await Promise.all([destroy(retried), destroy(left)]);
  expect(failed.map(outcome)).toEqual(['500 internal_error', '500 internal_error']);
  const refuses = async (id: string) => {
    const path = `/v1/keys/${id}`;
    const pending = read(keyObject, await tenant.api.send('GET', path));
    expect(pending.state).toBe('pending_deletion');
    expect(pending.destroy_after).toBe(pending.delete_requested_at);
    const encrypt = await tenant.api.send('POST', `${path}/encrypt`, { plaintext: 'AAAA' });
    expect(outcome(encrypt)).toBe('409 key_pending_deletion');
    expect(text(encrypt, 'message')).toContain('can no longer be restored');
    expect(outcome(await tenant.api.send('POST', `${path}/rotate`))).toBe('409 key_pending_deletion');
    expect(outcome(await tenant.api.send('PATCH', path, { name: 'x' }))).toBe('409 key_pending_deletion');
    expect(outcome(await tenant.console.send('POST', `${path}/restore`))).toBe('409 restore_window_closed');
    expect(await tenant.api.send('DELETE', path)).toMatchObject({ status: 200, body: pending });
  };
  await refuses(retried);
  await setFaults(stack, { kms: null });
  await refuses(left);
  expect(outcome(await destroy(retried))).toBe('204');
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 1, finished: 0, cleared: 0, failed: 0 });
  for (const id of [retried, left]) {
    expect(outcome(await tenant.api.send('GET', `/v1/keys/${id}`))).toBe('404 not_found');
    expect(await kmsVersionStates(stack, id)).toEqual(['DESTROY_SCHEDULED']);
    const destructions = inWords(await eventsOfKey(tenant.api, id)).filter((row) => row.startsWith('destroy_key'));
    expect(destructions).toEqual(['destroy_key internal_error', 'destroy_key']);
  }
  const [byUser, byService] = [await eventsOfKey(tenant.api, retried), await eventsOfKey(tenant.api, left)];
  expect(byUser[0]?.user_id).toMatch(/./);
  expect(byService[0]).toMatchObject({ api_key_id: null, user_id: null });
});

test('with the KMS down, a key whose destruction fails does not stop the others', async () => {
  const tenant = await makeTenant(stack);
  const tiers = ['software', 'wrapped', 'hsm', 'wrapped'] as const;
  const ids = await Promise.all(tiers.map((tier) => tenant.createKey(tier)));
  for (const id of ids) await tenant.api.send('DELETE', `/v1/keys/${id}`);
  const last = read(keyObject, await tenant.api.send('GET', `/v1/keys/${ids[3]}`));
  await setClock(stack, later(last.destroy_after ?? '', MINUTE_MS));
  await setFaults(stack, { kms: 'down' });
  // What the shared root holds needs no call of the KMS to be destroyed.
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 2, finished: 0, cleared: 0, failed: 2 });
  expect(read(keyObject.array(), await tenant.api.send('GET', '/v1/keys'))).toHaveLength(2);
  await setFaults(stack, { kms: null });
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 2, finished: 0, cleared: 0, failed: 0 });
  expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([]);
});

test('with the KMS down, rotating is 500 and leaves keys as they were; a run an hour later tidies up', async () => {
  const tenant = await makeTenant(stack);
  const ids = await Promise.all((['wrapped', 'software', 'hsm'] as const).map((tier) => tenant.createKey(tier)));
  const sealed = await Promise.all(
    ids.map(async (id) => {
      const answer = await tenant.api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AAAA' });
      return { id, ciphertext: text(answer, 'ciphertext') };
    }),
  );
  const before = (await tenant.api.send('GET', '/v1/keys')).body;
  await setFaults(stack, { kms: 'down' });
  const rotations = await Promise.all(ids.map((id) => tenant.api.send('POST', `/v1/keys/${id}/rotate`)));
  expect(rotations.map(outcome)).toEqual(Array(3).fill('500 internal_error'));
  await setFaults(stack, { kms: null });
  const works = async () => {
    expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual(before);
    for (const { id, ciphertext } of sealed) {
      const opened = await tenant.api.send('POST', `/v1/keys/${id}/decrypt`, { ciphertext });
      expect(opened.body).toEqual({ plaintext: 'AAAA' });
    }
  };
  await works();
  await inAnHour();
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 0, finished: 3, cleared: 0, failed: 0 });
  await works();
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 0, finished: 0, cleared: 0, failed: 0 });
  for (const id of ids) {
    expect(read(keyObject, await tenant.api.send('POST', `/v1/keys/${id}/rotate`)).primary_version).toBe(2);
    expect(inWords(await eventsOfKey(tenant.api, id)).filter((row) => row.startsWith('rotate'))).toEqual([
      'rotate_key internal_error',
      'rotate_key',
    ]);
  }
});

test('with the KMS down, a key that could not be created leaves nothing: name and free place are free at once, and a run clears up', async () => {
  const tenant = await makeTenant(stack);
  const wanted = (['free', 'wrapped', 'software', 'hsm'] as const).map((tier) => ({ name: `a ${tier} key`, tier }));
  await setFaults(stack, { kms: 'down' });
  const refused = await Promise.all(wanted.map((body) => tenant.api.send('POST', '/v1/keys', body)));
  expect(refused.map(outcome)).toEqual(Array(4).fill('500 internal_error'));
  expect((await tenant.console.send('GET', '/v1/keys')).body).toEqual([]);
  const rows = await eventsOfTenant(tenant.console);
  expect(rows.map(({ key_id }) => key_id)).toEqual([null, null, null, null]);
  expect(inWords(rows)).toEqual(Array(4).fill('create_key internal_error'));
  expect(await countsOf(stack, tenant.id)).toMatchObject({ keys: 0, free_keys: 0 });
  await setFaults(stack, { kms: null });
  const created = await Promise.all(wanted.map((body) => tenant.api.send('POST', '/v1/keys', body)));
  expect(created.map(outcome)).toEqual(Array(4).fill('201'));
  await inAnHour();
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 0, finished: 0, cleared: 4, failed: 0 });
  // What is cleared takes nothing from the keys that were created in its place.
  expect(read(keyObject.array(), await tenant.api.send('GET', '/v1/keys'))).toHaveLength(4);
  expect(await countsOf(stack, tenant.id)).toMatchObject({ keys: 4, free_keys: 1 });
  const again = await Promise.all(wanted.map((body) => tenant.api.send('POST', '/v1/keys', body)));
  expect(again.map(outcome)).toEqual(Array(4).fill('409 key_exists'));
  const second = await tenant.api.send('POST', '/v1/keys', { name: 'a second free key', tier: 'free' });
  expect(outcome(second)).toBe('409 free_key_exists');
});

test('who asks for readiness right after a fault was set or lifted sees that, though somebody asked a moment before', async () => {
  const ready = () => send('GET', `${stack.baseUrl}/health/ready`);
  const allWell = { firestore: 'ok', kms: 'ok', policy: 'ok' };
  for (const [part, found] of [
    ['kms', { ...allWell, kms: 'unavailable' }],
    ['pdp', { ...allWell, policy: 'unavailable' }],
  ] as const) {
    await expect.poll(ready, { timeout: 15_000 }).toMatchObject({ status: 200, body: { checks: allWell } });
    await setFaults(stack, { [part]: 'down' });
    expect(await ready()).toMatchObject({ status: 503, body: { status: 'unavailable', checks: found } });
    await setFaults(stack, { [part]: null });
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ok', checks: allWell } });
  }
});
