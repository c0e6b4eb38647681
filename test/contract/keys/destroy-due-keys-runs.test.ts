import { expect, test } from 'vitest';
import { HOUR_US, MINUTE_US } from '../../../shared/base/clock.ts';
import type { LogFields } from '../../../shared/base/log.ts';
import { KmsWrites } from '../../../shared/kms/kms-writes.ts';
import { destroyDueKeys } from '../../../shared/lifecycle/destroy-due-keys.ts';
import type { DestructionServices } from '../../../shared/lifecycle/key-services.ts';
import { outcome } from '../../support/client.ts';
import { patchDocument } from '../../support/firestore.ts';
import { forgetTenants } from '../../support/forget.ts';
import { openInProcess } from '../../support/in-process.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { ownStack } from '../../support/own-stack.ts';
import { DAY_MS } from '../../support/steer.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = ownStack();

const WEEK_US = 7 * DAY_MS * 1000;
const NOTHING = { destroyed: 0, finished: 0, cleared: 0, failed: 0 };

/**
 * Returns functions to run destroy-due-keys and to move its clock, and `logged`, the fields of each run’s last log
 * line.
 */
function makeRuns(changes: Partial<DestructionServices> = {}) {
  const { services, clock } = openInProcess(stack);
  const logged: LogFields[] = [];
  const write = (event: string, fields: LogFields = {}) => {
    if (event.startsWith('destroy-due-keys finished')) logged.push(fields);
  };
  const run = (forMs?: number) => destroyDueKeys({ ...services, ...changes, log: { write } }, forMs);
  return { run, logged, move: (us: number) => clock.move(us) };
}

/** Creates keys of a tenant and requests their deletion. Returns their ids. */
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
  await forgetTenants(stack);
  const ids = await makeDeletedKeys(await makeTenant(stack), 4);
  /** A quota of six writes a minute allows three at once, and the next after ten seconds, when this run has ended. */
  const limitedRuns = makeRuns({ kmsWrites: new KmsWrites(6) });
  limitedRuns.move(WEEK_US + MINUTE_US);
  expect(await limitedRuns.run(5_000)).toEqual({ ...NOTHING, destroyed: 3 });
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

test('destroy-due-keys does not try to destroy a destroyed key again', async () => {
  await forgetTenants(stack);
  const { run, move } = makeRuns();
  await makeDeletedKeys(await makeTenant(stack), 1);
  move(WEEK_US + MINUTE_US);
  expect(await run()).toEqual({ ...NOTHING, destroyed: 1 });
  move(100 * WEEK_US);
  expect(await run()).toEqual(NOTHING);
});

test('if the destruction of a key fails, destroy-due-keys retries it after growing delays, and still destroys other keys', async () => {
  await forgetTenants(stack);
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
