import { expect, inject, onTestFinished, test } from 'vitest';
import { outcome } from '../../support/client.ts';
import { firestoreOf } from '../../support/firestore.ts';
import { operate } from '../../support/operations.ts';
import { readClock } from '../../support/steer.ts';
import { makeTenant } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');
const SHARDS = [0, 1, 2, 3, 4, 5, 6, 7];
/** The number of operations of each tenant. */
const TIMES = 12;

/** Locks this month's operation counters of a key in a transaction. Returns a function that releases them. */
async function lockCounters(keyId: string): Promise<() => Promise<void>> {
  const db = firestoreOf(stack);
  const month = (await readClock(stack)).slice(0, 7);
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const transaction = db.runTransaction(
    async (tx) => {
      await tx.getAll(...SHARDS.map((shard) => db.doc(`usage/${keyId}_${month}_${shard}`)));
      locked.resolve();
      await released.promise;
    },
    { maxAttempts: 1 },
  );
  await locked.promise;
  return async () => {
    released.resolve();
    await transaction.catch(() => undefined);
    await db.terminate();
  };
}

test('if the operation counters of one tenant are locked in Firestore, operations of other tenants are not delayed', async () => {
  const [lockedTenant, other] = await Promise.all([makeTenant(stack), makeTenant(stack)]);
  const [lockedKey, key] = [await lockedTenant.createKey('wrapped'), await other.createKey('wrapped')];
  const wrap = (tenant: typeof lockedTenant, of: string) => operate(tenant.api, of, 'wrap', {});
  await Promise.all([wrap(lockedTenant, lockedKey), wrap(other, key)]);

  const release = await lockCounters(lockedKey);
  onTestFinished(release);
  let answered = 0;
  const waiting = Array.from({ length: TIMES }, () => wrap(lockedTenant, lockedKey).finally(() => answered++));
  for (let time = 0; time < TIMES; time++) expect(outcome(await wrap(other, key))).toBe('200');
  expect(answered).toBe(0);
  await release();
  const outcomes = await Promise.all(waiting);
  expect(outcomes.map(outcome)).toEqual(Array(TIMES).fill('200'));
  expect((await lineOf(lockedTenant.api, lockedKey)).ops).toBe(TIMES + 1);
});
