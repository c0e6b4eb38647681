import { beforeAll, describe, expect, test, vi } from 'vitest';
import { eventsOfKey, inWords, keyEventsOfTenant } from '../../support/audit.ts';
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

/** Makes a key of each tier except free, with a ciphertext, and prepares the rotation of each key. */
async function prepareRotations() {
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
  const expectUnchanged = async () => {
    expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual(before);
    for (const { id, ciphertext } of keys) {
      expect((await decrypt(tenant, id, ciphertext)).body).toEqual({ plaintext: 'AAAA' });
    }
  };
  const during = async () => (await Promise.all(keys.map(({ id }) => rotate(id)))).map(outcome);
  return { tenant, keys, rotate, expectUnchanged, during };
}

/** Prepares the creation of a key of each tier. */
async function prepareCreations() {
  const tenant = await makeTenant(stack);
  const wanted = (['free', 'wrapped', 'software', 'hsm'] as const).map((tier) => ({ name: `a ${tier} key`, tier }));
  const create = async () => {
    const answers = wanted.map((body) => tenant.api.send('POST', '/v1/keys', body));
    return (await Promise.all(answers)).map(outcome);
  };
  const during = async () => ({
    refused: await create(),
    shown: (await tenant.console.send('GET', '/v1/keys')).body,
    counted: await countsOf(stack, tenant.id),
    rows: await keyEventsOfTenant(tenant.console),
  });
  return { tenant, create, during };
}

/** Makes an `hsm` key, rotates it once, and prepares a second rotation, which retires the first of three versions. */
async function prepareInterruptedRotation() {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('hsm');
  const current = async () => read(keyObject, await tenant.api.send('GET', `/v1/keys/${id}`));
  const rotate = () => tenant.api.send('POST', `/v1/keys/${id}/rotate`);
  const first = text(await encrypt(tenant, id), 'ciphertext');
  await rotate();
  const second = text(await encrypt(tenant, id), 'ciphertext');
  /** Starts a rotation and returns once the new version is primary, while the rotation still runs. */
  const untilPrimary = async () => {
    await setFaults(stack, { kms: { delay_ms: 1_000 } });
    const rotation = rotate();
    await vi.waitUntil(async () => (await current()).primary_version === 3, { timeout: 60_000 });
    return { rotation };
  };
  return { tenant, id, current, first, second, untilPrimary };
}

/* All tests share one outage, because some calls in an outage last until their deadline. */
describe('with the KMS down', () => {
  let destructions: Awaited<ReturnType<typeof prepareDestructions>>;
  let rotations: Awaited<ReturnType<typeof prepareRotations>>;
  let creations: Awaited<ReturnType<typeof prepareCreations>>;
  let interrupted: Awaited<ReturnType<typeof prepareInterruptedRotation>>;
  let destroyed: Awaited<ReturnType<(typeof destructions)['during']>>;
  let rotated: string[];
  let created: Awaited<ReturnType<(typeof creations)['during']>>;
  let ended: string;

  beforeAll(async () => {
    [destructions, rotations, creations, interrupted] = await Promise.all([
      prepareDestructions(),
      prepareRotations(),
      prepareCreations(),
      prepareInterruptedRotation(),
    ]);
    const { rotation } = await interrupted.untilPrimary();
    await setFaults(stack, { kms: 'down' });
    [destroyed, rotated, created, ended] = await Promise.all([
      destructions.during(),
      rotations.during(),
      creations.during(),
      rotation.then(outcome),
    ]);
    await setFaults(stack, { kms: null });
  });

  test('a key whose destruction fails with 500 is unusable, and is destroyed by a retry or by destroy-due-keys', async () => {
    const { tenant, retried, left, destroy } = destructions;
    expect(destroyed.failed).toEqual([FAILED, FAILED]);
    expectDue(destroyed.seen);
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

  test('with the KMS down, a wrapped key can still be destroyed', () => {
    expect(destroyed.done).toBe('204');
  });

  test('with the KMS down, a rotation fails with 500 and changes nothing', async () => {
    expect(rotated).toEqual(Array(3).fill(FAILED));
    await rotations.expectUnchanged();
  });

  test('if the outage interrupts a rotation after its new version became primary, the rotation succeeds and the key stays usable', async () => {
    const { tenant, id, second } = interrupted;
    expect(ended).toBe('200');
    expect(outcome(await decrypt(tenant, id, second))).toBe('200');
    const third = text(await encrypt(tenant, id), 'ciphertext');
    expect(outcome(await decrypt(tenant, id, third))).toBe('200');
  });

  test('after key creations that failed with 500, no key is listed or counted, and the same keys can be created immediately', async () => {
    expect(created.refused).toEqual(Array(4).fill(FAILED));
    expect(created.shown).toEqual([]);
    expect(created.counted).toMatchObject({ keys: 0, free_keys: 0 });
    expect(created.rows.map(({ key_id }) => key_id)).toEqual([null, null, null, null]);
    expect(inWords(created.rows)).toEqual(Array(4).fill('create_key internal_error'));
    expect(await creations.create()).toEqual(Array(4).fill('201'));
  });

  test('an hour after the outage, destroy-due-keys finishes interrupted rotations and clears interrupted creations, and its next run does nothing', async () => {
    const third = text(await encrypt(interrupted.tenant, interrupted.id), 'ciphertext');
    await hourLater(stack);
    // The creations of the `free` and the `wrapped` key left nothing, because these keys have no CryptoKey.
    expect(await destroyDueKeys(stack)).toMatchObject({ finished: 4, cleared: 2, failed: 0 });
    expect(await destroyDueKeys(stack)).toEqual({ destroyed: 0, finished: 0, cleared: 0, failed: 0 });

    await rotations.expectUnchanged();
    for (const { id } of rotations.keys) {
      expect(read(keyObject, await rotations.rotate(id)).primary_version).toBe(2);
      const rows = inWords(await eventsOfKey(rotations.tenant.api, id)).filter((row) => row.startsWith('rotate'));
      expect(rows).toEqual(['rotate_key internal_error', 'rotate_key']);
    }

    expect(await kmsVersionStates(stack, interrupted.id)).toEqual(['DESTROY_SCHEDULED', 'ENABLED', 'ENABLED']);
    const states = (await interrupted.current()).versions.map(({ state }) => state);
    expect(states).toEqual(['destroy_scheduled', 'enabled', 'enabled']);
    const opened = [interrupted.first, interrupted.second, third].map((sealed) =>
      decrypt(interrupted.tenant, interrupted.id, sealed),
    );
    expect((await Promise.all(opened)).map(outcome)).toEqual(['400 invalid_ciphertext', '200', '200']);

    // destroy-due-keys has not cleared the keys that were created after the outage with the same names.
    const { tenant, create } = creations;
    expect(read(keyObject.array(), await tenant.api.send('GET', '/v1/keys'))).toHaveLength(4);
    expect(await countsOf(stack, tenant.id)).toMatchObject({ keys: 4, free_keys: 1 });
    expect(await create()).toEqual(Array(4).fill('409 key_exists'));
    const another = await tenant.api.send('POST', '/v1/keys', { name: 'a second free key', tier: 'free' });
    expect(outcome(another)).toBe('409 free_key_exists');
  });
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
