import { randomUUID } from 'node:crypto';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { DeadlineExceeded } from '../../../shared/base/deadline.ts';
import { createKey } from '../../../shared/lifecycle/create-key.ts';
import { destroyNow } from '../../../shared/lifecycle/destroy-key.ts';
import { Transaction } from '../../../shared/store/transaction.ts';
import { createContainer, deleteContainer } from '../../../shared/tenancy/containers.ts';
import { OBJECT_COUNTS } from '../../../shared/tenancy/object-counts.ts';
import { addTenant, type NewTenant } from '../../../shared/tenancy/provision.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome } from '../../support/client.ts';
import { loadKey, openInProcess, serveInProcess } from '../../support/in-process.ts';
import { rotate } from '../../support/operations.ts';
import { signInSettings } from '../../support/second-service.ts';
import { Client, makeTenant } from '../../support/tenant.ts';
import { transit } from '../../support/transit.ts';

/* Changes whose commit gets no answer, and changes of an object that another request changes while they wait. */
const stack = inject('stack');
const { services } = openInProcess(stack, { TRANSIT: 'on', ...signInSettings(stack) });
const FAILED = '500 internal_error';
const recordNothing = () => undefined;

afterEach(() => {
  vi.restoreAllMocks();
});

/** The transaction with this number, from 1, is applied, but its answer does not come before the deadline. */
function loseAnswerOf(lost: number): void {
  const { apply } = Transaction.prototype;
  let calls = 0;
  vi.spyOn(Transaction.prototype, 'apply').mockImplementation(async function (this: Transaction) {
    const commitTime = await apply.call(this);
    if (++calls === lost) throw new DeadlineExceeded('no answer');
    return commitTime;
  });
}

async function newTenant(): Promise<NewTenant> {
  const { promise, resolve } = Promise.withResolvers<NewTenant>();
  await services.store.write((writes) => resolve(addTenant(services.clock, writes)));
  return promise;
}

test('if the claim of a new key is stored but not answered, the key’s name and place are free at once', async () => {
  const { tenantId, containerId } = await newTenant();
  const create = () =>
    createKey(services, { requestId: null, tenantId }, { tenantId, containerId, name: 'orders', tier: 'free' });
  const write = services.store.write.bind(services.store);
  vi.spyOn(services.store, 'write').mockImplementationOnce(async (fill) => {
    await write(fill);
    throw new DeadlineExceeded('no answer');
  });
  await expect(create()).rejects.toThrow('no answer');
  expect(await create()).toMatchObject({ state: 'active', name: 'orders' });
});

test('a change of a key that is stored but not answered is recorded once, as a success', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('wrapped');
  const made = await eventsOfKey(tenant.api, id);
  await using server = await serveInProcess(services, stack);
  const console = new Client(server, tenant.console.token);
  const recorded: string[] = [];
  for (const [operation, method, suffix, transaction, body] of [
    ['rename_key', 'PATCH', '', 1, { name: randomUUID() }],
    ['rotate_key', 'POST', '/rotate', 2],
    ['freeze_key', 'POST', '/freeze', 1],
    ['thaw_key', 'POST', '/thaw', 1],
    ['delete_key', 'DELETE', '', 1],
    ['restore_key', 'POST', '/restore', 1],
    ['destroy_key', 'POST', '/destroy', 2],
  ] as const) {
    loseAnswerOf(transaction);
    const answer = await console.send(method, `/v1/keys/${id}${suffix}`, body);
    expect(`${operation}: ${outcome(answer)}`).toBe(`${operation}: ${FAILED}`);
    vi.restoreAllMocks();
    recorded.push(operation);
    expect(inWords(await eventsOfKey(tenant.api, id)).slice(made.length)).toEqual(recorded);
  }
});

test('a destruction takes a KMS write for each version that the key has when its turn comes', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  const found = await loadKey(services, id);
  await rotate(tenant.api, id, 2);
  const takeFor = vi.spyOn(services.kmsWrites, 'takeFor');
  await destroyNow(services, { requestId: null, tenantId: found.tenant_id }, found);
  expect(takeFor.mock.calls.map(([, writes]) => writes)).toEqual([3]);
});

test.each([
  ['200', 'the same tier', { tier: 'wrapped' }],
  ['200', 'no tier', {}],
  ['409 key_exists', 'another tier', { tier: 'software' }],
])('a Transit creation is %s if another request creates the key meanwhile, with %s', async (expected, _, body) => {
  const tenant = await makeTenant(stack);
  await using server = await serveInProcess(services, stack);
  const create = services.keyChanges.create.bind(services.keyChanges);
  vi.spyOn(services.keyChanges, 'create').mockImplementationOnce(async (...args) => {
    await tenant.createKey('wrapped', 'app');
    return create(...args);
  });
  const answer = await transit(new Client(server, tenant.api.token), 'POST /keys/app', body);
  expect(outcome(answer)).toBe(expected);
  if (expected === '200') expect(answer.body).toMatchObject({ warnings: ['key app already existed'] });
});

test('a deletion in a tenant that is left meanwhile is refused with no_tenant', async () => {
  const { tenantId } = await newTenant();
  const { id } = await createContainer(services, tenantId, 'eu', recordNothing);
  await services.store.write((writes) => writes.remove(OBJECT_COUNTS, tenantId));
  const deletion = deleteContainer(services.store, tenantId, id, async () => false, recordNothing);
  await expect(deletion).rejects.toMatchObject({ code: 'no_tenant' });
});
