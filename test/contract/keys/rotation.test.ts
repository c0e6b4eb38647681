import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { MINUTE_US } from '../../../shared/base/clock.ts';
import { ApiError } from '../../../shared/errors.ts';
import { destroyDueKeys } from '../../../shared/lifecycle/destroy-due-keys.ts';
import { destroyNow } from '../../../shared/lifecycle/destroy-key.ts';
import { rotateKey } from '../../../shared/lifecycle/rotate-key.ts';
import { TIER } from '../../../shared/tiers.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { readDocument } from '../../support/firestore.ts';
import { forgetTenants } from '../../support/forget.ts';
import { loadKey, openInProcess } from '../../support/in-process.ts';
import { kmsPrimary, kmsProtection, kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { encrypt, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { setClock } from '../../support/steer.ts';
import { ALL_TIERS, type Client, makeTenant, type Tier } from '../../support/tenant.ts';
import { textOf, transit } from '../../support/transit.ts';
import { lineOf, setOps } from '../../support/usage.ts';

const stack = inject('stack');
const own = ownStack();

const preview = z.strictObject({
  next_version: z.int(),
  keeps: z.array(z.int()),
  retires: z.array(z.int()),
  recent: z.strictObject({
    since: z.iso.date(),
    ops: z.int(),
    older_version_ops: z.int(),
    last_older_use: z.iso.date().nullable(),
  }),
});

const pathOf = (id: string) => `/v1/keys/${id}/rotation`;
const previewOf = async (client: Client, id: string) => read(preview, await client.send('GET', pathOf(id)));

const TODAY = '2027-03-15';
const SINCE = '2027-02-14';

/** Makes a tenant on the own stack, at noon of a fixed day. */
async function makeTenantToday() {
  await setClock(own, `${TODAY}T12:00:00Z`);
  return makeTenant(own);
}

type Numbers = readonly number[];
test.each<[Tier, keeps: Numbers, retires: Numbers, keepsLater: Numbers, retiresLater: Numbers]>([
  ['free', [], [1], [], [3]],
  ['wrapped', [], [1], [], [3]],
  ['software', [1], [], [2, 3], [1]],
  ['hsm', [1], [], [3], [2]],
])(
  'the preview of a rotation of a %s key shows that the next rotation keeps %j and retires %j; after two rotations, it keeps %j and retires %j',
  async (tier, keeps, retires, keepsLater, retiresLater) => {
    const tenant = await makeTenantToday();
    const id = await tenant.createKey(tier);
    const recent = { since: SINCE, ops: 0, older_version_ops: 0, last_older_use: null };
    expect(await previewOf(tenant.api, id)).toEqual({ next_version: 2, keeps, retires, recent });
    await rotate(tenant.api, id, 2);
    const later = { next_version: 4, keeps: keepsLater, retires: retiresLater, recent };
    expect(await previewOf(tenant.console, id)).toEqual(later);
  },
);

test.each(ALL_TIERS)(
  'the rotation preview of a %s key is neither recorded nor counted, and older_version_ops excludes operations with the primary version',
  async (tier) => {
    const { api, createKey } = await makeTenant(stack);
    const id = await createKey(tier);
    await rotate(api, id);
    const ciphertext = await encrypt(api, id, randomBase64(32));
    for (const operation of ['decrypt', 'rewrap'] as const) await operate(api, id, operation, { ciphertext });
    expect(outcome(await operate(api, id, 'unwrap', { wrapped: ciphertext }))).toBe('200');
    const events = await eventsOfKey(api, id);
    const { recent } = await previewOf(api, id);
    expect(recent).toMatchObject({ ops: 4, older_version_ops: 0, last_older_use: null });
    expect(await previewOf(api, id)).toMatchObject({ recent });
    expect(await eventsOfKey(api, id)).toEqual(events);
    expect((await lineOf(api, id)).ops).toBe(4);
  },
);

describe.each(['software', 'hsm'] as const)('after a rotation of a %s key', (tier) => {
  test('older_version_ops counts operations on ciphertext of older versions, including operations through Transit', async () => {
    const { api, createKey } = await makeTenantToday();
    const name = randomUUID();
    const id = await createKey(tier, name);
    const dek = randomBase64(32);
    const ciphertext = await encrypt(api, id, dek);
    const stored = textOf(await transit(api, `POST /encrypt/${name}`, { plaintext: dek }), 'ciphertext');
    await rotate(api, id);
    expect(await previewOf(api, id)).toMatchObject({ recent: { ops: 2, older_version_ops: 0, last_older_use: null } });
    expect(outcome(await operate(api, id, 'decrypt', { ciphertext }))).toBe('200');
    expect(outcome(await operate(api, id, 'unwrap', { wrapped: ciphertext }))).toBe('200');
    const rewrapped = text(await operate(api, id, 'rewrap', { ciphertext }), 'ciphertext');
    const batch_input = [{ ciphertext: stored }, { ciphertext: stored }];
    expect(outcome(await transit(api, `POST /decrypt/${name}`, { batch_input }))).toBe('200');
    const recent = { ops: 7, older_version_ops: 5, last_older_use: TODAY };
    expect(await previewOf(api, id)).toMatchObject({ recent });
    expect(outcome(await operate(api, id, 'decrypt', { ciphertext: rewrapped }))).toBe('200');
    await operate(api, id, 'decrypt', { ciphertext: 'AAAA' });
    expect(await previewOf(api, id)).toMatchObject({ recent: { ...recent, ops: 8 } });
  });

  test('the KMS has the same primary version as the service, with the tier’s protection level', async () => {
    const { api, createKey } = await makeTenant(stack);
    const id = await createKey(tier);
    await rotate(api, id, 3);
    expect(await kmsPrimary(stack, id)).toBe(4);
    expect(await kmsProtection(stack, id)).toBe(tier.toUpperCase());
  });
});

test('setting the operation count with the control API does not change older_version_ops of the same day', async () => {
  const { api, createKey } = await makeTenantToday();
  const id = await createKey('software');
  const ciphertext = await encrypt(api, id, 'AAAA');
  await rotate(api, id);
  await operate(api, id, 'decrypt', { ciphertext });
  await setOps(api, id, TODAY.slice(0, 7), 40);
  const recent = { ops: 40, older_version_ops: 1, last_older_use: TODAY };
  expect(await previewOf(api, id)).toMatchObject({ recent });
});

test('a rotation succeeds even if the KMS fails to set the primary version, and destroy-due-keys sets this version after ten minutes', async () => {
  const { services, clock, logged } = openInProcess(own);
  const tenant = await makeTenant(own);
  const id = await tenant.createKey('software');
  const load = () => loadKey(services, id);
  const key = await load();
  vi.spyOn(services.kms, 'makePrimary').mockRejectedValueOnce(new Error('refused'));
  const rotated = await rotateKey(services, { requestId: null, tenantId: key.tenant_id }, key);
  expect(rotated).toMatchObject({ primary_version: 2 });
  expect(await load()).toMatchObject({ primary_version: 2, rotations: 1 });
  expect(logged.map(({ message }) => message)).toContain('finishing a rotation failed; destroy-due-keys retries it');
  expect(await kmsPrimary(own, id)).toBe(1);
  clock.move(11 * MINUTE_US);
  expect(await destroyDueKeys(services)).toMatchObject({ finished: 1, failed: 0 });
  expect(await kmsPrimary(own, id)).toBe(2);
  expect(await load()).toMatchObject({ primary_version: 2, rotations: 0, unfinished_since: null });
  expect((await eventsOfKey(tenant.api, id)).filter(({ operation }) => operation === 'rotate_key')).toHaveLength(1);
});

test('after 20 rotations, a software key lists its three enabled versions and the ten versions before them, and its document stays small', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  const path = `/v1/keys/${id}`;
  const bytes = async () => Buffer.byteLength(JSON.stringify(await readDocument(stack, `keys/${id}`)));
  await rotate(tenant.api, id, 12);
  const before = await bytes();
  await rotate(tenant.api, id, 8);
  // The document may grow by a few bytes, because version numbers from 10 on have two digits.
  expect(await bytes()).toBeLessThan(before + 50);
  const key = read(keyObject, await tenant.api.send('GET', path));
  expect(key.primary_version).toBe(21);
  expect(key.versions.map(({ version, state }) => [version, state])).toEqual(
    Array.from({ length: 13 }, (_, at) => [9 + at, at < 10 ? 'destroy_scheduled' : 'enabled']),
  );
  await tenant.console.send('POST', `${path}/destroy`);
  expect(await kmsVersionStates(stack, id)).toEqual(Array(21).fill('DESTROY_SCHEDULED'));
});

test.concurrent.for([
  ['free', 1],
  ['wrapped', 1],
  ['software', 3],
  ['hsm', 2],
] as const)(
  'rotation of a %s key makes the new version primary and keeps at most this number of versions enabled: %d',
  async ([tier, retained]) => {
    const tenant = await makeTenant(stack);
    const created = read(keyObject, await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier }));
    const path = `/v1/keys/${created.id}`;
    for (let number = 1; number <= 4; number++) {
      const answer = await tenant[number % 2 === 0 ? 'console' : 'api'].send('POST', `${path}/rotate`);
      const key = read(keyObject, answer);
      const versions = Array.from({ length: number + 1 }, (_, at) => ({
        version: at + 1,
        state: at + 1 > number + 1 - retained ? 'enabled' : 'destroy_scheduled',
        created_at: key.versions[at]?.created_at,
      }));
      expect(key).toEqual({ ...created, primary_version: number + 1, versions });
      expect(await tenant.api.send('GET', path)).toMatchObject({ status: 200, body: key });
    }
    const rotations = inWords(await eventsOfKey(tenant.api, created.id)).filter((row) => row === 'rotate_key');
    expect(rotations).toHaveLength(4);
  },
);

beforeEach(() => forgetTenants(own));
afterEach(() => {
  vi.restoreAllMocks();
});

const nothing = async (): Promise<void> => undefined;

/** A key whose next rotation retires version 1. `rotate` calls a function in place of the half second's wait. */
async function openKey(tier: Tier) {
  const { services, clock } = openInProcess(own);
  const tenant = await makeTenant(own);
  const id = await tenant.createKey(tier);
  const first = await encrypt(tenant.api, id, 'AAAA');
  const load = () => loadKey(services, id);
  const settle = vi.fn(nothing);
  const within = { ...services, settle };
  const origin = { requestId: null, tenantId: (await load()).tenant_id };
  const rotate = async (meanwhile = nothing) =>
    rotateKey({ ...within, settle: settle.mockReset().mockImplementationOnce(meanwhile) }, origin, await load());
  const destroy = async (meanwhile = nothing) =>
    destroyNow({ ...within, settle: settle.mockReset().mockImplementationOnce(meanwhile) }, origin, await load());
  const rotateElsewhere = async () => {
    await rotateKey({ ...openInProcess(own).services, settle }, origin, await load());
  };
  for (let times = 1; times < TIER[tier].retainedVersions; times++) await rotate();
  const version = TIER[tier].retainedVersions;
  const path = `/v1/keys/${id}`;
  const firstShown = async () => read(keyObject, await tenant.api.send('GET', path)).versions[0]?.state;
  /** Whether the first version is shown as enabled, is retired by the next rotation, and decrypts. */
  const expectFirst = async (expected: 'enabled' | 'destroy_scheduled') => {
    const isEnabled = expected === 'enabled';
    expect(await firstShown()).toBe(expected);
    const preview = await tenant.api.send('GET', `${path}/rotation`);
    expect(Object(preview.body).retires.includes(1)).toBe(isEnabled);
    const opened = await operate(tenant.api, id, 'decrypt', { ciphertext: first });
    expect(outcome(opened)).toBe(isEnabled ? '200' : '400 invalid_ciphertext');
  };
  const rotations = async () => inWords(await eventsOfKey(tenant.console, id)).filter((row) => row === 'rotate_key');
  const runJob = () => {
    clock.move(11 * MINUTE_US);
    return destroyDueKeys(within);
  };
  /** Fails every transaction until `vi.restoreAllMocks`. */
  const failTransactions = async () => {
    vi.spyOn(services.store, 'transact').mockRejectedValue(new ApiError('unavailable', 'too many changes'));
  };
  return {
    ...{ services, clock, tenant, id, path, load, settle, rotate, rotateElsewhere, destroy },
    ...{ version, expectFirst, rotations, runJob, failTransactions },
  };
}

describe.each(['free', 'wrapped', 'software', 'hsm'] as const)('the rotation of a %s key', (tier) => {
  test('the old version stays enabled for half a second after the new version is primary, and is retired before the response', async () => {
    const { rotate, expectFirst, version, load } = await openKey(tier);
    const rotated = await rotate(async () => {
      expect((await load()).primary_version).toBe(version + 1);
      await expectFirst('enabled');
    });
    expect.assertions(8);
    expect(rotated.versions[0]?.state).not.toBe('enabled');
    await expectFirst('destroy_scheduled');
  });

  test('the rotation succeeds even if its second commit fails, and destroy-due-keys or the next rotation makes this commit', async () => {
    for (const finish of ['job', 'rotation'] as const) {
      const { rotate, expectFirst, rotations, version, load, runJob, failTransactions } = await openKey(tier);
      expect(await rotate(failTransactions)).toMatchObject({ primary_version: version + 1 });
      vi.restoreAllMocks();
      await expectFirst('enabled');
      const settled = await (finish === 'job' ? runJob() : rotate());
      if (finish === 'job') {
        expect(settled).toMatchObject({ finished: 1, failed: 0 });
        expect(await load()).toMatchObject({ rotations: 0, unfinished_since: null });
      }
      await expectFirst('destroy_scheduled');
      expect(await rotations()).toHaveLength(finish === 'job' ? version : version + 1);
    }
  });

  test('the old version is retired even if the key is deleted meanwhile, and the rotation of a key that is destroyed meanwhile succeeds', async () => {
    const { rotate, tenant, path, load } = await openKey(tier);
    await rotate(async () => void (await tenant.console.send('DELETE', path)));
    expect((await load()).versions[0]?.state).toBe('destroy_scheduled');
    const other = await openKey(tier);
    const rotated = await other.rotate(
      async () => void (await other.tenant.console.send('POST', `${other.path}/destroy`)),
    );
    expect(rotated.primary_version).toBe(other.version + 1);
  });
});

test('a rotation does not wait if the versions that it retires stopped being primary long ago', async () => {
  const { rotate, clock, settle, expectFirst } = await openKey('software');
  settle.mockClear();
  clock.move(MINUTE_US);
  await rotate();
  expect(settle).not.toHaveBeenCalled();
  await expectFirst('destroy_scheduled');
});

test('a rotation succeeds even if the KMS does not destroy the old version, and destroy-due-keys destroys it', async () => {
  const { services, rotate, id, rotations, version, runJob } = await openKey('hsm');
  vi.spyOn(services.kms, 'destroyVersion').mockRejectedValue(new Error('refused'));
  expect(await rotate()).toMatchObject({ primary_version: version + 1 });
  vi.restoreAllMocks();
  expect(await kmsVersionStates(own, id)).toEqual(['ENABLED', 'ENABLED', 'ENABLED']);
  expect(await runJob()).toMatchObject({ finished: 1, failed: 0 });
  expect(await kmsVersionStates(own, id)).toEqual(['DESTROY_SCHEDULED', 'ENABLED', 'ENABLED']);
  expect(await rotations()).toHaveLength(version);
});

test('destroying a key touches neither the key nor its versions for half a second after the key became due', async () => {
  const { destroy, id, load, tenant, path } = await openKey('hsm');
  await destroy(async () => {
    expect(await load()).toMatchObject({ state: 'pending_deletion', destroying: true });
    expect(await kmsVersionStates(own, id)).toEqual(['ENABLED', 'ENABLED']);
  });
  expect.assertions(5);
  expect((await load()).state).toBe('destroyed');
  expect(await kmsVersionStates(own, id)).toEqual(['DESTROY_SCHEDULED', 'DESTROY_SCHEDULED']);
  expect(outcome(await tenant.console.send('GET', path))).toBe('404 not_found');
});

test('a run of destroy-due-keys that meets a key which became due a moment ago waits too, and the key is destroyed once', async () => {
  const { services, destroy, load, settle, tenant, id } = await openKey('wrapped');
  await destroy(async () => {
    settle.mockImplementationOnce(async () => expect((await load()).state).toBe('pending_deletion'));
    expect(await destroyDueKeys({ ...services, settle })).toMatchObject({ destroyed: 1 });
  });
  expect(settle).toHaveBeenCalledTimes(2);
  expect(inWords(await eventsOfKey(tenant.console, id)).filter((row) => row === 'destroy_key')).toHaveLength(1);
});

test('if two processes rotate a key at once, the KMS keeps the newest version as primary', async () => {
  const { rotate, rotateElsewhere, id, version } = await openKey('hsm');
  await rotate(rotateElsewhere);
  expect(await kmsPrimary(own, id)).toBe(version + 2);
});

test('a rotation takes KMS writes for the versions that the key has when its turn comes', async () => {
  const { services } = openInProcess(own);
  const key = await loadKey(services, await (await makeTenant(own)).createKey('hsm'));
  const taken = vi.spyOn(services.kmsWrites, 'takeFor');
  const origin = { requestId: null, tenantId: key.tenant_id };
  await Promise.all([rotateKey(services, origin, key), rotateKey(services, origin, key)]);
  expect(taken.mock.calls.map(([, writes]) => writes)).toEqual([2, 3]);
});

test.each(['free', 'wrapped'] as const)('a destroyed %s key keeps no data key', async (tier) => {
  const { destroy, load } = await openKey(tier);
  await destroy();
  const { versions } = await load();
  const kept = versions.map(({ state, material }) => [state, material]);
  expect(kept).toEqual([['destroy_scheduled', { kind: 'data_key', wrapped: null }]]);
});

test('scheduled destruction does not wait', async () => {
  const { services, tenant, path, clock, load, settle } = await openKey('wrapped');
  await tenant.console.send('DELETE', path);
  clock.move(7 * 24 * 60 * MINUTE_US + MINUTE_US);
  expect(await destroyDueKeys({ ...services, settle })).toMatchObject({ destroyed: 1 });
  expect((await load()).state).toBe('destroyed');
  expect(settle).not.toHaveBeenCalled();
});
