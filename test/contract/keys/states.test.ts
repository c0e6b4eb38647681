import { expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { loadKey, openInProcess } from '../../support/in-process.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { encrypt, operate, rotate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { DAY_MS, destroyDueKeys, later, MINUTE_MS, mendStack, setClock, setFaults } from '../../support/steer.ts';
import { join } from '../../support/team.ts';
import { type Client, makeTenant, signIn, type Tenant, type Tier } from '../../support/tenant.ts';

const stack = ownStack();

async function makeKey(tier: Tier = 'wrapped') {
  const tenant = await makeTenant(stack);
  const create = (name: string) => tenant.api.send('POST', '/v1/keys', { name, tier });
  const created = read(keyObject, await create('orders'));
  const path = `/v1/keys/${created.id}`;
  /** Requests the key's deletion. `due` returns a time after its destruction is due. */
  const remove = async (by = tenant.api) => {
    const pending = read(keyObject, await by.send('DELETE', path));
    return { pending, due: (ms: number) => later(pending.destroy_after ?? '', ms) };
  };
  const rows = async () => inWords(await eventsOfKey(tenant.api, created.id));
  return { tenant, create, created, path, remove, rows };
}

test.each([
  ['free', 'api'],
  ['wrapped', 'console'],
  ['software', 'api'],
  ['hsm', 'console'],
] as const)(
  'a deleted %s key is pending deletion for exactly seven days, and can be restored as it was, even if the KMS is down (by %s)',
  async (tier, credential) => {
    const { tenant, created, path, remove, rows } = await makeKey(tier);
    const ciphertext = await encrypt(tenant.api, created.id, 'AAAA');
    await setFaults(stack, { kms: 'down' });
    const { pending } = await remove(tenant[credential]);
    const { delete_requested_at } = pending;
    const destroy_after = later(delete_requested_at ?? '', 7 * DAY_MS);
    expect(pending).toEqual({ ...created, state: 'pending_deletion', delete_requested_at, destroy_after });
    expect((await tenant[credential].send('GET', path)).body).toEqual(pending);
    expect(await tenant[credential].send('POST', `${path}/restore`)).toMatchObject({ status: 200, body: created });
    expect((await tenant.api.send('GET', path)).body).toEqual(created);
    expect(await rows()).toEqual(['create_key', 'encrypt', 'delete_key', 'restore_key']);
    await mendStack(stack);
    expect((await operate(tenant.api, created.id, 'decrypt', { ciphertext })).body).toEqual({ plaintext: 'AAAA' });
  },
);

test('deleting a key that is already pending deletion gets the same answer as the first request and is not recorded', async () => {
  const { tenant, path, remove, rows } = await makeKey();
  const { pending, due } = await remove();
  const same = { status: 200, body: pending };
  expect(await tenant.console.send('DELETE', path)).toMatchObject(same);
  for (const ms of [-2 * DAY_MS, MINUTE_MS]) {
    await setClock(stack, due(ms));
    expect(await tenant.api.send('DELETE', path)).toMatchObject(same);
  }
  expect(await (await signIn(stack, tenant.subject)).send('DELETE', path)).toMatchObject(same);
  expect(await rows()).toEqual(['create_key', 'delete_key']);
});

test('deleting a key again after its restoration starts a new deletion with new dates', async () => {
  const { tenant, path, remove } = await makeKey();
  const first = await remove();
  await tenant.api.send('POST', `${path}/restore`);
  await setClock(stack, first.due(-DAY_MS));
  const second = await remove();
  expect(second.due(0) >= first.due(6 * DAY_MS) && second.due(0) < first.due(7 * DAY_MS)).toBe(true);
  await setClock(stack, first.due(MINUTE_MS));
  expect(outcome(await tenant.api.send('POST', `${path}/restore`))).toBe('200');
});

test.each([
  ['a minute before destroy_after', -MINUTE_MS, '200'],
  ['at destroy_after', 0, '409 restore_window_closed'],
  ['a minute after destroy_after', MINUTE_MS, '409 restore_window_closed'],
])('restoring a key %s returns $2', async (_when, afterMs, expected) => {
  const { tenant, path, remove } = await makeKey();
  const { pending, due } = await remove();
  await setClock(stack, due(afterMs));
  const session = await signIn(stack, tenant.subject);
  expect(outcome(await session.send('POST', `${path}/restore`))).toBe(expected);
  if (expected !== '200') expect((await session.send('GET', path)).body).toEqual(pending);
});

test('a key pending deletion keeps its name, its place in the list and the tenant’s one free key until destroy-due-keys destroys it', async () => {
  const { tenant, create, path, remove } = await makeKey('free');
  const { pending, due } = await remove();
  const expectKept = async () => {
    expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([pending]);
    expect([outcome(await create('another')), outcome(await create('orders'))]).toEqual([
      '409 free_key_exists',
      '409 key_exists',
    ]);
  };
  await expectKept();
  await setClock(stack, due(MINUTE_MS));
  await expectKept();
  await destroyDueKeys(stack);
  expect(outcome(await tenant.api.send('GET', path))).toBe('404 not_found');
  expect(outcome(await create('orders'))).toBe('201');
});

test('destroy-due-keys destroys only the keys that are due for destruction, and its audit rows name no API key and no user', async () => {
  const { tenant, created, path, remove } = await makeKey();
  const other = `/v1/keys/${await tenant.createKey('software')}`;
  const { due } = await remove();
  await setClock(stack, due(-DAY_MS));
  const kept = read(keyObject, await tenant.api.send('DELETE', other));
  await setClock(stack, due(-MINUTE_MS));
  await destroyDueKeys(stack);
  expect(outcome(await tenant.api.send('GET', path))).toBe('200');
  await setClock(stack, due(MINUTE_MS));
  expect((await destroyDueKeys(stack)).failed).toBe(0);
  expect(outcome(await tenant.api.send('GET', path))).toBe('404 not_found');
  expect((await tenant.api.send('GET', other)).body).toEqual(kept);
  const [newest] = await eventsOfKey(tenant.api, created.id);
  expect(newest).toMatchObject({ operation: 'destroy_key', result: 'success', api_key_id: null, user_id: null });
});

test.each([
  ['software', false],
  ['software', true],
  ['hsm', false],
  ['hsm', true],
] as const)(
  'destroying a %s key frees its name at once, and destroys all its versions in the KMS (pending deletion: %s)',
  async (tier, isPending) => {
    const { tenant, create, created, path, remove } = await makeKey(tier);
    await rotate(tenant.api, created.id, 3);
    if (isPending) await remove();
    expect(outcome(await create('orders'))).toBe('409 key_exists');
    await tenant.console.send('POST', `${path}/destroy`);
    expect(await kmsVersionStates(stack, created.id)).toEqual(Array(4).fill('DESTROY_SCHEDULED'));
    const again = await create('orders');
    expect(read(keyObject, again)).toMatchObject({ name: 'orders', state: 'active', primary_version: 1 });
    expect(text(again, 'id')).not.toBe(created.id);
  },
);

type Change = 'freeze' | 'thaw' | 'restore' | 'rotate';
const change = (by: Client, id: string, name: Change) => by.send('POST', `/v1/keys/${id}/${name}`);
const done = async (by: Client, id: string, name: Change) => read(keyObject, await change(by, id, name));
const get = async ({ api }: Tenant, id: string) => read(keyObject, await api.send('GET', `/v1/keys/${id}`));
const rows = async ({ console }: Tenant, id: string) => inWords(await eventsOfKey(console, id));

test('freeze and thaw answer the key, change only frozen_at, and are recorded with the person', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  const before = await get(tenant, id);
  expect(before.frozen_at).toBeNull();
  const frozen = await done(tenant.console, id, 'freeze');
  const [event] = await eventsOfKey(tenant.console, id);
  expect(event).toMatchObject({ operation: 'freeze_key', result: 'success', key_id: id, api_key_id: null });
  expect(event?.user_id).not.toBeNull();
  expect(frozen).toEqual({ ...before, frozen_at: expect.any(String) });
  expect(await get(tenant, id)).toEqual(frozen);
  expect(read(keyObject.array(), await tenant.api.send('GET', '/v1/keys'))).toEqual([frozen]);
  expect(await done(tenant.console, id, 'thaw')).toEqual(before);
  expect(await rows(tenant, id)).toEqual(['create_key', 'freeze_key', 'thaw_key']);
});

test('freezing a frozen key, or thawing one that is not frozen, changes and records nothing', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('wrapped');
  expect(await done(tenant.console, id, 'thaw')).toMatchObject({ frozen_at: null });
  const frozen = await done(tenant.console, id, 'freeze');
  expect(await done(tenant.console, id, 'freeze')).toEqual(frozen);
  expect(await rows(tenant, id)).toEqual(['create_key', 'freeze_key']);
});

test('a frozen key can be renamed, previewed, deleted, restored and destroyed, and a restored key is still frozen', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  const { frozen_at } = await done(tenant.console, id, 'freeze');
  const path = `/v1/keys/${id}`;
  expect(read(keyObject, await tenant.api.send('PATCH', path, { name: 'other' }))).toMatchObject({ frozen_at });
  expect(outcome(await tenant.api.send('GET', `${path}/rotation`))).toBe('200');
  expect(read(keyObject, await tenant.api.send('DELETE', path))).toMatchObject({ frozen_at });
  expect(await done(tenant.api, id, 'restore')).toMatchObject({ state: 'active', frozen_at });
  expect(outcome(await operate(tenant.api, id, 'encrypt', { plaintext: 'AAAA' }))).toBe('409 key_frozen');
  expect(outcome(await tenant.console.send('POST', `${path}/destroy`))).toBe('204');
});

test('a frozen key that is deleted is destroyed after seven days', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('wrapped');
  await done(tenant.console, id, 'freeze');
  const { destroy_after } = read(keyObject, await tenant.api.send('DELETE', `/v1/keys/${id}`));
  await setClock(stack, later(destroy_after ?? '', MINUTE_MS));
  await destroyDueKeys(stack);
  expect(outcome(await tenant.api.send('GET', `/v1/keys/${id}`))).toBe('404 not_found');
});

test('a freeze does not wait for the changes in the queue of the key, and no rotation under way is promoted after it', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  const { services } = openInProcess(stack);
  const underWay = async () => (await loadKey(services, id)).rotations;
  // The first read also connects, which can take longer than the delay below.
  expect(await underWay()).toBe(0);
  await setFaults(stack, { kms: { delay_ms: 30_000 } });
  let ended = 0;
  const rotations = Array.from({ length: 17 }, async () => {
    const rotated = await change(tenant.api, id, 'rotate');
    ended += 1;
    return rotated;
  });
  await expect.poll(underWay).toBe(1);
  const frozen = await done(tenant.console, id, 'freeze');
  expect([frozen.primary_version, ended]).toEqual([1, 0]);
  await setFaults(stack, { kms: null });
  expect(new Set((await Promise.all(rotations)).map(outcome))).toEqual(new Set(['409 key_frozen']));
  expect(await get(tenant, id)).toEqual(frozen);
  await done(tenant.console, id, 'thaw');
  expect(await done(tenant.api, id, 'rotate')).toMatchObject({ primary_version: 2 });
});

test('a thaw by a person who is removed meanwhile is refused, or takes effect before the removal is answered', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('wrapped');
  await done(tenant.console, id, 'freeze');
  const { id: userId, session } = await join(tenant, 'admin');
  await setFaults(stack, { firestore: { delay_ms: 200 } });
  const thawing = change(session, id, 'thaw');
  await tenant.console.send('DELETE', `/v1/members/${userId}`);
  const { frozen_at } = await get(tenant, id);
  const thawed = outcome(await thawing);
  expect(['200', '403 no_tenant']).toContain(thawed);
  expect(frozen_at === null).toBe(thawed === '200');
});
