import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { DAY_US, HOUR_US, MINUTE_US, makeInstant, SECOND_US } from '../../../shared/base/clock.ts';
import type { LogFields } from '../../../shared/base/log.ts';
import { KmsWrites } from '../../../shared/kms/kms-writes.ts';
import { destroyDueKeys } from '../../../shared/lifecycle/destroy-due-keys.ts';
import { replaceKey } from '../../../shared/lifecycle/due.ts';
import type { DestructionServices } from '../../../shared/lifecycle/key-services.ts';
import { rotateKey } from '../../../shared/lifecycle/rotate-key.ts';
import { eventsOfKey, inWords, keyEventsOfTenant } from '../../support/audit.ts';
import { outcome } from '../../support/client.ts';
import { countsOf } from '../../support/counts.ts';
import { patchDocument } from '../../support/firestore.ts';
import { forgetTenants } from '../../support/forget.ts';
import { loadKey, openInProcess, serveInProcess } from '../../support/in-process.ts';
import { kmsKeyIds, kmsVersionStates } from '../../support/kms.ts';
import { encrypt, operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys as destroyNow, hourLater, setFaults } from '../../support/steer.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = ownStack();
const NOTHING = { destroyed: 0, finished: 0, cleared: 0, failed: 0 };
beforeEach(() => forgetTenants(stack));

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

test('if a crash interrupts the creation of a key, the name stays taken and the key counts towards limits until destroy-due-keys removes the key', async () => {
  const tenant = await makeTenant(stack, 'none');
  const { services } = openInProcess(stack);
  const interrupted = Promise.withResolvers<void>();
  // After a call that never ends, the creation does as little as after a crash.
  vi.spyOn(services.kms, 'encrypt').mockImplementationOnce(() => {
    interrupted.resolve();
    return Promise.withResolvers<never>().promise;
  });
  const service = await serveInProcess(services, stack);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const body = { name: 'orders', tier: 'free' };
  new Client(service, tenant.api.token).send('POST', '/v1/keys', body).catch(() => undefined);
  await interrupted.promise;
  const counted = async () => countsOf(stack, tenant.id);
  expect(await counted()).toMatchObject({ keys: 1, free_keys: 1 });
  const create = async (name: string) => outcome(await tenant.api.send('POST', '/v1/keys', { ...body, name }));
  expect(await create('orders')).toBe('409 key_exists');
  expect(await create('invoices')).toBe('409 free_key_exists');
  await hourLater(stack);
  expect(await destroyNow(stack)).toEqual({ ...NOTHING, cleared: 1 });
  expect(await counted()).toMatchObject({ keys: 0, free_keys: 0 });
  expect(await create('orders')).toBe('201');
});

test('if the audit row of a key creation cannot be written, the key is not listed, and destroy-due-keys destroys its KMS version', async () => {
  const tenant = await makeTenant(stack);
  const before = await kmsKeyIds(stack);
  await setFaults(stack, { audit_rows: 'down' });
  const body = { name: 'orders', tier: 'software' };
  expect(outcome(await tenant.api.send('POST', '/v1/keys', body))).toBe('500 internal_error');
  expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([]);
  await setFaults(stack, { audit_rows: null });
  const orphans = (await kmsKeyIds(stack)).filter((id) => !before.includes(id));
  const created = await tenant.api.send('POST', '/v1/keys', body);
  expect(outcome(created)).toBe('201');
  expect(inWords(await keyEventsOfTenant(tenant.console))).toEqual(['create_key']);
  await hourLater(stack);
  expect(await destroyNow(stack)).toEqual({ ...NOTHING, cleared: 1 });
  for (const id of orphans) expect(await kmsVersionStates(stack, id)).toEqual(['DESTROY_SCHEDULED']);
  expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([created.body]);
});

test('if the audit row of a key’s destruction could not be written, destroy-due-keys finishes and records the destruction', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  await setFaults(stack, { audit_rows: 'down' });
  expect(outcome(await tenant.console.send('POST', `/v1/keys/${id}/destroy`))).toBe('500 internal_error');
  await setFaults(stack, { audit_rows: null });
  expect(outcome(await tenant.console.send('POST', `/v1/keys/${id}/restore`))).toBe('409 restore_window_closed');
  expect(await destroyNow(stack)).toEqual({ ...NOTHING, destroyed: 1 });
  expect(inWords(await eventsOfKey(tenant.api, id))).toEqual([
    'create_key',
    'restore_key restore_window_closed',
    'destroy_key',
  ]);
});

test('a key works after a rotation that runs while destroy-due-keys finishes an earlier rotation', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  const path = `/v1/keys/${id}`;
  await setFaults(stack, { audit_rows: 'down' });
  expect(outcome(await tenant.api.send('POST', `${path}/rotate`))).toBe('500 internal_error');
  expect(await kmsVersionStates(stack, id)).toHaveLength(2);
  await setFaults(stack, { audit_rows: null });
  await hourLater(stack);
  await setFaults(stack, { kms: { delay_ms: 500 } });
  const rotation = tenant.api.send('POST', `${path}/rotate`);
  await expect.poll(() => kmsVersionStates(stack, id)).toHaveLength(3);
  await destroyNow(stack);
  expect(outcome(await rotation)).toBe('200');
  await setFaults(stack, { kms: null });
  const ciphertext = await encrypt(tenant.api, id, 'AAAA');
  expect((await operate(tenant.api, id, 'decrypt', { ciphertext })).body).toEqual({ plaintext: 'AAAA' });
});

const WEEK_US = 7 * DAY_US;

/** Returns functions to run destroy-due-keys and to move its clock, and the fields of each run’s last log line. */
function makeRuns(changes: Partial<DestructionServices> = {}) {
  const { services, clock } = openInProcess(stack);
  const logged: LogFields[] = [];
  const write = (event: string, fields: LogFields = {}) => {
    if (event.startsWith('destroy-due-keys finished')) logged.push(fields);
  };
  const run = (forMs?: number) => destroyDueKeys({ ...services, ...changes, log: { write } }, forMs);
  return { run, logged, move: (us: number) => clock.move(us) };
}

async function makeDeletedKeys({ api, createKey }: Tenant, count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => createKey('software')));
  for (const id of ids) await api.send('DELETE', `/v1/keys/${id}`);
  return ids;
}

/** Stores an invalid KMS name in the key's version, so that the destruction of the key always fails. */
async function breakKey(id: string): Promise<void> {
  const fields = (of: object) => ({ mapValue: { fields: of } });
  const material = fields({ kind: { stringValue: 'crypto_key_version' }, name: { stringValue: 'no name' } });
  const created_at = { timestampValue: '2026-01-01T00:00:00Z' };
  const version = fields({ version: { integerValue: 1 }, state: { stringValue: 'enabled' }, created_at, material });
  await patchDocument(stack, `keys/${id}`, 'versions', { arrayValue: { values: [version] } });
}

test('a run of destroy-due-keys destroys as many keys as its quota of KMS writes allows, and the next run destroys the rest', async () => {
  const ids = await makeDeletedKeys(await makeTenant(stack), 4);
  /** A quota of six writes a minute allows three at once, and the next after 20 seconds, when this run has ended. */
  const limitedRuns = makeRuns({ kmsWrites: new KmsWrites(6) });
  limitedRuns.move(WEEK_US + MINUTE_US);
  expect(await limitedRuns.run(15_000)).toEqual({ ...NOTHING, destroyed: 3 });
  expect(limitedRuns.logged).toMatchObject([{ failed: 0, oldest_due_s: expect.any(Number) }]);
  expect(Number(limitedRuns.logged[0]?.oldest_due_s)).toBeGreaterThanOrEqual(60);
  // The quota of the next run is used up, but allows a write again within milliseconds.
  const kmsWrites = new KmsWrites(6_000);
  while (await kmsWrites.takeInTime(0));
  const next = makeRuns({ kmsWrites });
  next.move(WEEK_US + MINUTE_US);
  expect(await next.run()).toEqual({ ...NOTHING, destroyed: 1 });
  expect(next.logged).toEqual([{ ...NOTHING, destroyed: 1, oldest_due_s: 0 }]);
  for (const id of ids) expect(await kmsVersionStates(stack, id)).toEqual(['DESTROY_SCHEDULED']);
});

test('if the destruction of a key fails, destroy-due-keys retries it after growing delays, and still destroys other keys, each once', async () => {
  const tenant = await makeTenant(stack);
  const failing = await makeDeletedKeys(tenant, 2);
  for (const id of failing) await breakKey(id);
  await makeDeletedKeys(tenant, 2);
  const { run, logged, move } = makeRuns();
  move(WEEK_US + HOUR_US);
  expect(await run()).toEqual({ ...NOTHING, destroyed: 2, failed: 2 });
  expect(await run()).toEqual({ ...NOTHING, failed: 2 });
  const [other = ''] = await makeDeletedKeys(tenant, 1);
  move(WEEK_US + 1.2 * HOUR_US);
  expect(await run()).toEqual({ ...NOTHING, destroyed: 1 });
  expect(outcome(await tenant.api.send('GET', `/v1/keys/${other}`))).toBe('404 not_found');
  move(WEEK_US + 2.5 * HOUR_US);
  expect(await run()).toEqual({ ...NOTHING, failed: 2 });
  const ages = logged.map(({ oldest_due_s }) => Number(oldest_due_s));
  expect(ages.map((age) => Math.floor(age / 3_600))).toEqual([1, 1, 1, 2]);
});
