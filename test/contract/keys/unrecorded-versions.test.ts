import { beforeEach, expect, test, vi } from 'vitest';
import { MINUTE_US, makeInstant, SECOND_US } from '../../../shared/base/clock.ts';
import { destroyDueKeys } from '../../../shared/lifecycle/destroy-due-keys.ts';
import { replaceKey } from '../../../shared/lifecycle/due.ts';
import { rotateKey } from '../../../shared/lifecycle/rotate-key.ts';
import { outcome } from '../../support/client.ts';
import { forgetTenants } from '../../support/forget.ts';
import { loadKey, openInProcess } from '../../support/in-process.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { encrypt } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { makeTenant } from '../../support/tenant.ts';

/*
 * These tests are about versions in the KMS that the key's record does not have. A rotation leaves such a version
 * behind if its process ends, or if the KMS does not answer.
 */

const stack = ownStack();
beforeEach(() => forgetTenants(stack));

/** Opens the service in this process and makes a key. */
async function openKey() {
  const { services, clock } = openInProcess(stack);
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  const load = () => loadKey(services, id);
  /** Marks the key as if a rotation had begun `agoUs` microseconds ago and had not ended. */
  const markRotating = async (agoUs: number) => {
    const rotating = { ...(await load()), rotations: 1, unfinished_since: makeInstant(services.clock.now() - agoUs) };
    await services.store.write((writes) => replaceKey(writes, rotating));
  };
  const states = () => kmsVersionStates(stack, id);
  return { services, clock, tenant, id, load, markRotating, states };
}

test('ten minutes after a rotation was interrupted, destroy-due-keys destroys the version that it left in the KMS', async () => {
  const { services, clock, id, markRotating, states } = await openKey();
  await markRotating(5 * SECOND_US);
  await services.kms.createVersion(id);
  clock.move(10 * MINUTE_US - 4 * SECOND_US);
  expect(await destroyDueKeys(services)).toMatchObject({ finished: 1, failed: 0 });
  expect(await states()).toEqual(['ENABLED', 'DESTROY_SCHEDULED']);
});

test('destroying a key also destroys versions in the KMS that its record does not have', async () => {
  const { services, tenant, id, states } = await openKey();
  await services.kms.createVersion(id);
  expect(outcome(await tenant.console.send('POST', `/v1/keys/${id}/destroy`))).toBe('204');
  expect(await states()).toEqual(['DESTROY_SCHEDULED', 'DESTROY_SCHEDULED']);
});

test('if a rotation begins during a run of destroy-due-keys, the run keeps the version that the rotation creates, and a later run checks it', async () => {
  const { services, clock, id, markRotating, states } = await openKey();
  await markRotating(11 * MINUTE_US);
  const list = services.kms.listVersions.bind(services.kms);
  vi.spyOn(services.kms, 'listVersions').mockImplementationOnce(async (listed) => {
    await markRotating(0);
    await services.kms.createVersion(id);
    return list(listed);
  });
  await destroyDueKeys(services);
  expect(await states()).toEqual(['ENABLED', 'ENABLED']);
  clock.move(11 * MINUTE_US);
  expect(await destroyDueKeys(services)).toMatchObject({ finished: 1, failed: 0 });
  expect(await states()).toEqual(['ENABLED', 'DESTROY_SCHEDULED']);
});

test('if destroy-due-keys cleans up after a rotation that is still running, the rotation fails and the key still works', async () => {
  const { services, clock, tenant, id, load, states } = await openKey();
  const make = services.kms.createVersion.bind(services.kms);
  vi.spyOn(services.kms, 'createVersion').mockImplementationOnce(async (of) => {
    const made = await make(of);
    clock.move(11 * MINUTE_US);
    expect(await destroyDueKeys(services)).toMatchObject({ finished: 1, failed: 0 });
    return made;
  });
  const key = await load();
  const origin = { requestId: null, tenantId: key.tenant_id };
  await expect(rotateKey(services, origin, key)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await states()).toEqual(['ENABLED', 'DESTROY_SCHEDULED']);
  expect((await load()).primary_version).toBe(1);
  await encrypt(tenant.api, id, 'AAAA');
});
