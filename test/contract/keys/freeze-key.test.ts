import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { KEYS } from '../../../shared/keys/key.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { setSubscription } from '../../support/billing.ts';
import { outcome } from '../../support/client.ts';
import { openInProcess } from '../../support/in-process.ts';
import { keyObject, read } from '../../support/objects.ts';
import { bodiesFor, METERED, operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys, later, MINUTE_MS, setClock, setFaults } from '../../support/steer.ts';
import { join } from '../../support/team.ts';
import { ALL_TIERS, type Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { codesOf, transit } from '../../support/transit.ts';
import { lineOf, reachCap } from '../../support/usage.ts';

const stack = ownStack();

type Change = 'freeze' | 'thaw' | 'restore' | 'rotate';
const change = (by: Client, id: string, name: Change) => by.send('POST', `/v1/keys/${id}/${name}`);
const done = async (by: Client, id: string, name: Change) => read(keyObject, await change(by, id, name));
const get = async ({ api }: Tenant, id: string) => read(keyObject, await api.send('GET', `/v1/keys/${id}`));
const rows = async ({ console }: Tenant, id: string) => inWords(await eventsOfKey(console, id));

describe('freezing a key', () => {
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

  test('an API key cannot freeze or thaw a key, an auditor’s attempt is recorded, and an admin can do both', async () => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey('wrapped');
    const { session: auditor } = await join(tenant, 'auditor');
    const { session: admin } = await join(tenant, 'admin');
    for (const name of ['freeze', 'thaw'] as const) {
      expect(outcome(await change(tenant.api, id, name))).toBe('403 session_required');
      expect(outcome(await change(auditor, id, name))).toBe('403 role_not_allowed');
      expect(outcome(await change(admin, id, name))).toBe('200');
    }
    const refused = (operation: string) => [`${operation} role_not_allowed`, operation];
    expect(await rows(tenant, id)).toEqual(['create_key', ...refused('freeze_key'), ...refused('thaw_key')]);
  });

  test('the key of another tenant and a destroyed key cannot be frozen or thawed', async () => {
    const [tenant, other] = [await makeTenant(stack), await makeTenant(stack)];
    const [id, destroyed] = [await tenant.createKey('wrapped'), await tenant.createKey('wrapped')];
    await tenant.console.send('POST', `/v1/keys/${destroyed}/destroy`);
    for (const name of ['freeze', 'thaw'] as const) {
      expect(outcome(await change(other.console, id, name))).toBe('404 not_found');
      expect(outcome(await change(tenant.console, destroyed, name))).toBe('404 not_found');
    }
    expect(await rows(tenant, id)).toEqual(['create_key']);
  });
});

describe('a frozen key', () => {
  test.each(ALL_TIERS)(
    'a frozen %s key cannot be used or rotated; each attempt is recorded, none counted',
    async (tier) => {
      const tenant = await makeTenant(stack);
      const id = await tenant.createKey(tier);
      const bodies = await bodiesFor(tenant.api, id);
      const { ops } = await lineOf(tenant.api, id);
      await done(tenant.console, id, 'freeze');
      for (const operation of METERED)
        expect(outcome(await operate(tenant.api, id, operation, bodies[operation]))).toBe('409 key_frozen');
      expect(outcome(await change(tenant.api, id, 'rotate'))).toBe('409 key_frozen');
      expect(outcome(await change(tenant.console, id, 'rotate'))).toBe('409 key_frozen');
      const refused = [...METERED, 'rotate_key', 'rotate_key'].map((operation) => `${operation} key_frozen`);
      expect((await rows(tenant, id)).slice(-8)).toEqual(['freeze_key', ...refused]);
      expect((await lineOf(tenant.api, id)).ops).toBe(ops);
      await done(tenant.console, id, 'thaw');
      for (const operation of METERED)
        expect(outcome(await operate(tenant.api, id, operation, bodies[operation]))).toBe('200');
    },
  );

  test('a frozen key cannot be used or rotated through Transit, and every value of a batch is refused', async () => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey('software', 'frozen');
    const made = await transit(tenant.api, 'POST /encrypt/frozen', { plaintext: 'AAAA' });
    const { ciphertext } = Object(Object(made.body).data);
    await done(tenant.console, id, 'freeze');
    const calls = [
      ['POST /encrypt/frozen', { plaintext: 'AAAA' }],
      ['POST /decrypt/frozen', { ciphertext }],
      ['POST /rewrap/frozen', { ciphertext }],
      ['POST /datakey/plaintext/frozen', {}],
      ['POST /datakey/wrapped/frozen', {}],
      ['POST /keys/frozen/rotate', {}],
    ] as const;
    for (const [call, body] of calls) {
      expect([call, outcome(await transit(tenant.api, call, body))]).toEqual([call, '409 key_frozen']);
    }
    const batch = { batch_input: [{ plaintext: 'AAAA' }, { plaintext: 'AAAA' }] };
    const answer = await transit(tenant.api, 'POST /encrypt/frozen', batch);
    expect([answer.status, codesOf(answer)]).toEqual([400, ['key_frozen', 'key_frozen']]);
    expect((await transit(tenant.api, 'GET /keys/frozen')).status).toBe(200);
  });

  test('whether the key is frozen is checked after the fields, and before billing and the cap', async () => {
    const tenant = await makeTenant(stack);
    const [paid, free] = [await tenant.createKey('wrapped'), await tenant.createKey('free')];
    await reachCap(stack, free);
    await setSubscription(stack, tenant.id, 'none');
    const encrypt = async (id: string, plaintext: string) =>
      outcome(await operate(tenant.api, id, 'encrypt', { plaintext }));
    expect([await encrypt(paid, 'AAAA'), await encrypt(free, 'AAAA')]).toEqual([
      '402 billing_required',
      '429 ops_cap_reached',
    ]);
    for (const id of [paid, free]) {
      await done(tenant.console, id, 'freeze');
      expect([await encrypt(id, 'AAAA'), await encrypt(id, '!')]).toEqual(['409 key_frozen', '400 invalid_base64']);
    }
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

  test('on a key pending deletion, freeze and thaw are refused as pending deletion and recorded, whether it is frozen or not', async () => {
    const tenant = await makeTenant(stack);
    for (const isFrozen of [false, true]) {
      const id = await tenant.createKey('wrapped');
      if (isFrozen) await done(tenant.console, id, 'freeze');
      await tenant.api.send('DELETE', `/v1/keys/${id}`);
      expect(outcome(await change(tenant.console, id, 'freeze'))).toBe('409 key_pending_deletion');
      expect(outcome(await change(tenant.console, id, 'thaw'))).toBe('409 key_pending_deletion');
      const use = await operate(tenant.api, id, 'encrypt', { plaintext: 'AAAA' });
      expect(outcome(use)).toBe('409 key_pending_deletion');
      expect((await rows(tenant, id)).slice(-4)).toEqual([
        'delete_key',
        'freeze_key key_pending_deletion',
        'thaw_key key_pending_deletion',
        'encrypt key_pending_deletion',
      ]);
    }
  });
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
