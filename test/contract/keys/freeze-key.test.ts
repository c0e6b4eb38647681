import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { KEYS } from '../../../shared/keys/key.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome } from '../../support/client.ts';
import { openInProcess } from '../../support/in-process.ts';
import { keyObject, read } from '../../support/objects.ts';
import { operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys, later, MINUTE_MS, setClock, setFaults } from '../../support/steer.ts';
import { join } from '../../support/team.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = ownStack();

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
  await setFaults(stack, { kms: { delay_ms: 1_500 } });
  let ended = 0;
  const rotations = Array.from({ length: 17 }, async () => {
    const rotated = await change(tenant.api, id, 'rotate');
    ended += 1;
    return rotated;
  });
  await rotationBegun(id);
  const frozen = await done(tenant.console, id, 'freeze');
  expect([frozen.primary_version, ended]).toEqual([1, 0]);
  expect(new Set((await Promise.all(rotations)).map(outcome))).toEqual(new Set(['409 key_frozen']));
  await setFaults(stack, { kms: null });
  expect(await get(tenant, id)).toEqual(frozen);
  await done(tenant.console, id, 'thaw');
  expect(await done(tenant.api, id, 'rotate')).toMatchObject({ primary_version: 2 });
});

/** Resolves once a rotation of the key waits for the KMS. */
async function rotationBegun(id: string): Promise<void> {
  const { services } = openInProcess(stack);
  while ((await services.store.find(KEYS, id))?.rotations !== 1) await pause(20);
}

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
