import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE_US } from '../../../shared/base/clock.ts';
import { ApiError } from '../../../shared/errors.ts';
import { destroyDueKeys } from '../../../shared/lifecycle/destroy-due-keys.ts';
import { destroyNow } from '../../../shared/lifecycle/destroy-key.ts';
import { rotateKey } from '../../../shared/lifecycle/rotate-key.ts';
import { TIER } from '../../../shared/tiers.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome } from '../../support/client.ts';
import { forgetTenants } from '../../support/forget.ts';
import { loadKey, openInProcess } from '../../support/in-process.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { encrypt, operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { makeTenant, type Tier } from '../../support/tenant.ts';

const stack = ownStack();
beforeEach(() => forgetTenants(stack));
afterEach(() => {
  vi.restoreAllMocks();
});

const nothing = async (): Promise<void> => undefined;

/** A key whose next rotation retires its first version. `rotate` calls a function in place of the half second's wait. */
async function openKey(tier: Tier) {
  const { services, clock } = openInProcess(stack);
  const tenant = await makeTenant(stack);
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
    services,
    clock,
    tenant,
    id,
    path,
    load,
    settle,
    rotate,
    destroy,
    version,
    expectFirst,
    rotations,
    runJob,
    failTransactions,
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
  expect(await kmsVersionStates(stack, id)).toEqual(['ENABLED', 'ENABLED', 'ENABLED']);
  expect(await runJob()).toMatchObject({ finished: 1, failed: 0 });
  expect(await kmsVersionStates(stack, id)).toEqual(['DESTROY_SCHEDULED', 'ENABLED', 'ENABLED']);
  expect(await rotations()).toHaveLength(version);
});

test('destroying a key touches neither the key nor its versions for half a second after the key became due', async () => {
  const { destroy, id, load, tenant, path } = await openKey('hsm');
  await destroy(async () => {
    expect(await load()).toMatchObject({ state: 'pending_deletion', destroying: true });
    expect(await kmsVersionStates(stack, id)).toEqual(['ENABLED', 'ENABLED']);
  });
  expect.assertions(5);
  expect((await load()).state).toBe('destroyed');
  expect(await kmsVersionStates(stack, id)).toEqual(['DESTROY_SCHEDULED', 'DESTROY_SCHEDULED']);
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

test('scheduled destruction does not wait', async () => {
  const { services, tenant, path, clock, load, settle } = await openKey('wrapped');
  await tenant.console.send('DELETE', path);
  clock.move(7 * 24 * 60 * MINUTE_US + MINUTE_US);
  expect(await destroyDueKeys({ ...services, settle })).toMatchObject({ destroyed: 1 });
  expect((await load()).state).toBe('destroyed');
  expect(settle).not.toHaveBeenCalled();
});
