import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { makeId } from '../../../shared/base/ids.ts';
import { ApiError } from '../../../shared/errors.ts';
import type { Key } from '../../../shared/keys/key.ts';
import { withPrimary } from '../../../shared/keys/versions.ts';
import { requestDeletion, restoreKey } from '../../../shared/lifecycle/delete-key.ts';
import { destroyNow } from '../../../shared/lifecycle/destroy-key.ts';
import { replaceKey } from '../../../shared/lifecycle/due.ts';
import { renameKey } from '../../../shared/lifecycle/rename-key.ts';
import { rotateKey } from '../../../shared/lifecycle/rotate-key.ts';
import type { Caller } from '../../../shared/tenancy/caller.ts';
import { outcome } from '../../support/client.ts';
import { type InProcess, loadKey, openInProcess } from '../../support/in-process.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const BUSY = '503 unavailable';

function callerOf({ tenant_id }: Key): Caller {
  const person = { subjectId: 'subject', email: null, name: null };
  return { kind: 'session', role: 'owner', tenantId: tenant_id, userId: makeId(), person };
}

test('each of 80 concurrent rotations of a key succeeds or gets 503, and another tenant’s changes succeed at the same time', async () => {
  const [busyTenant, otherTenant] = [await makeTenant(stack), await makeTenant(stack)];
  const path = `/v1/keys/${await busyTenant.createKey('free')}`;
  const other = `/v1/keys/${await otherTenant.createKey('wrapped')}`;
  const rotations = Array.from({ length: 80 }, () => busyTenant.api.send('POST', `${path}/rotate`));
  const creations = ['software', 'wrapped', 'hsm'].map((tier) =>
    otherTenant.api.send('POST', '/v1/keys', { name: randomUUID(), tier }),
  );
  expect((await Promise.all(creations)).map(outcome)).toEqual(['201', '201', '201']);
  for (let time = 1; time <= 3; time++) {
    expect(outcome(await otherTenant.api.send('POST', `${other}/rotate`))).toBe('200');
  }
  const outcomes = (await Promise.all(rotations)).map(outcome);
  expect(outcomes.filter((one) => one !== '200' && one !== BUSY)).toEqual([]);
  expect(outcomes).toContain(BUSY);
  const done = outcomes.filter((one) => one === '200').length;
  expect(read(keyObject, await busyTenant.api.send('GET', path)).primary_version).toBe(1 + done);
});

test('a key cannot be rotated while ten of its replaced versions still await destruction in the KMS', async () => {
  const { services } = openInProcess(stack);
  const id = await (await makeTenant(stack)).createKey('software');
  let key = await loadKey(services, id);
  for (let version = 2; version <= 13; version++) {
    const name = `${services.kms.cryptoKey(id)}/cryptoKeyVersions/${version}`;
    key = withPrimary(key, { kind: 'crypto_key_version', name }, key.created_at);
  }
  await services.store.write((writes) => replaceKey(writes, key));
  const rotation = rotateKey(services, { requestId: 'r', caller: callerOf(key) }, key);
  await expect(rotation).rejects.toMatchObject({ code: 'unavailable' });
  expect(await kmsVersionStates(stack, id)).toEqual(['ENABLED']);
});

const changes: readonly [string, (services: InProcess['services'], caller: Caller, key: Key) => Promise<unknown>][] = [
  ['rotation', (services, caller, key) => rotateKey(services, { requestId: 'r', caller }, key)],
  ['renaming', (services, caller, key) => renameKey(services, { requestId: 'r', caller }, key, randomUUID())],
  ['deletion', (services, caller, key) => requestDeletion(services, { requestId: 'r', caller }, key)],
  ['restoration', (services, caller, key) => restoreKey(services, { requestId: 'r', caller }, key)],
  ['destruction', (services, caller, key) => destroyNow(services, { requestId: 'r', caller }, key)],
];

test.each(changes)('%s of a key with 17 changes in progress is refused', async (_, change) => {
  const { services } = openInProcess(stack);
  const tenant = await makeTenant(stack);
  const key = await loadKey(services, await tenant.createKey('wrapped'));
  const caller = callerOf(key);
  const inProgress = Array.from({ length: 17 }, () => change(services, caller, key));
  const refused = { code: 'unavailable', message: 'too many changes to this key in progress' };
  await expect(change(services, caller, key)).rejects.toMatchObject(refused);
  // The 17 changes end one after another. Each succeeds, or is refused because an earlier change altered the state of
  // the key.
  for (const { status, ...end } of await Promise.allSettled(inProgress)) {
    if (status === 'rejected' && 'reason' in end) expect(end.reason).toBeInstanceOf(ApiError);
  }
});
