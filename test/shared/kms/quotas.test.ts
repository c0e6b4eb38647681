import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { KmsOperations } from '../../../shared/kms/kms-operations.ts';
import { KmsWrites } from '../../../shared/kms/kms-writes.ts';
import { makeManualTime } from '../../support/manual-time.ts';

const [ONE, OTHER, THIRD] = [makeId<TenantId>(), makeId<TenantId>(), makeId<TenantId>()];
const WAIT_MS = 250;

/** A limit of 300 operations a second, on a clock that the test moves. */
function makeOperations() {
  const time = makeManualTime();
  const operations = new KmsOperations(300, time);
  const taken = { own: 0, data: 0 };
  const refused = new Map<TenantId, string>();
  /** Asks for operations. They are counted once they are allowed. `refused` has the message of the last refusal. */
  const ask = (kind: 'own' | 'data', tenant: TenantId, calls = 1) => {
    for (let call = 0; call < calls; call++) {
      const turn = kind === 'own' ? operations.takeForOwnKey(tenant) : operations.takeForDataKey(tenant);
      void turn.then(
        () => taken[kind]++,
        ({ code, message }) => refused.set(tenant, `${code}: ${message}`),
      );
    }
  };
  /** Asks for operations, and returns how many are allowed without a wait. */
  const atOnce = async (kind: 'own' | 'data', tenant: TenantId, calls = 400) => {
    const before = taken[kind];
    ask(kind, tenant, calls);
    await time.move(0);
    return taken[kind] - before;
  };
  return { time, taken, refused, ask, atOnce };
}

test('one tenant may use half of the quota of KMS operations, including those for data keys, and regains that half in a second', async () => {
  const { time, taken, atOnce } = makeOperations();
  expect([await atOnce('own', ONE, 100), await atOnce('data', ONE, 100)]).toEqual([100, 50]);
  await time.move(WAIT_MS);
  // In 250 ms the tenant gains 37 operations. The other waiting calls are refused.
  expect(taken.own + taken.data).toBe(187);
  await time.move(60_000);
  expect(await atOnce('own', ONE)).toBe(150);
});

test('operations with tenants’ CryptoKeys can use only five sixths of the quota, so a sixth remains for data keys', async () => {
  const { time, taken, ask, atOnce } = makeOperations();
  expect([await atOnce('own', ONE), await atOnce('own', OTHER), await atOnce('own', THIRD)]).toEqual([150, 100, 0]);
  // The exact number is 50, but a rounding error may make it 49.
  expect(await atOnce('data', THIRD, 50)).toBeGreaterThanOrEqual(49);
  await time.move(60_000);
  Object.assign(taken, { own: 0, data: 0 });
  for (let ms = 0; ms < 10_000; ms += 10) {
    for (const tenant of [ONE, OTHER, THIRD]) ask('own', tenant, 4);
    if (ms % 20 === 0) ask('data', THIRD);
    await time.move(10);
  }
  expect(taken.own).toBeGreaterThan(2_700);
  expect(taken.own).toBeLessThanOrEqual(2_750);
  expect(taken.data).toBe(500);
});

test('for any pattern of calls, KMS operations never exceed the quota of one second plus the refill since the start', async () => {
  const calls = fc.record({
    afterMs: fc.nat(400),
    tenant: fc.constantFrom(ONE, OTHER, THIRD),
    kind: fc.constantFrom('own', 'data'),
    count: fc.nat(400),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(calls, { maxLength: 15 }), async (pattern) => {
      const { time, taken, ask } = makeOperations();
      for (const { afterMs, tenant, kind, count } of pattern) {
        await time.move(afterMs);
        ask(kind, tenant, count);
        await time.move(0);
        const seconds = 1 + time.nowMs() / 1_000;
        expect(taken.own + taken.data).toBeLessThanOrEqual(300 * seconds + 0.001);
        expect(taken.own).toBeLessThanOrEqual(250 * seconds + 0.001);
      }
    }),
    { numRuns: 40 },
  );
});

test.for([2, 3, 10])(
  'beside %d tenants that use all KMS operations they can get, a tenant with less than an equal share gets every operation that it asks for',
  async (greedy) => {
    const { time, refused, ask } = makeOperations();
    const others = Array.from({ length: greedy }, () => makeId<TenantId>());
    for (let ms = 0, sent = 0; ms < 3_000; ms += 10) {
      for (const [n, tenant] of others.entries()) ask(n % 3 === 2 ? 'data' : 'own', tenant, 5);
      for (; sent < (0.9 * 250 * ms) / (greedy + 1) / 1_000; sent++) ask(sent % 4 === 3 ? 'data' : 'own', THIRD);
      await time.move(10);
    }
    await time.move(WAIT_MS);
    expect(refused.has(THIRD)).toBe(false);
    expect(others.every((tenant) => refused.has(tenant))).toBe(true);
  },
);

test('the error for too many KMS operations says whether the tenant’s share or the shared quota is used up', async () => {
  const { time, refused, ask, atOnce } = makeOperations();
  await atOnce('own', ONE);
  await time.move(WAIT_MS);
  expect(refused.get(ONE)).toBe('unavailable: this tenant has used up its share of kms operations for now');
  for (const tenant of [ONE, OTHER, THIRD]) ask('own', tenant, 400);
  await time.move(WAIT_MS);
  expect(refused.get(THIRD)).toBe('unavailable: too many kms operations at once');
});

const MINUTE_MS = 60_000;
const WRITE_WAIT_MS = 5_000;
/** A limit of `perMinute` writes, on a clock that the test moves. */
function makeWrites(perMinute: number) {
  const time = makeManualTime();
  const writes = new KmsWrites(perMinute, time);
  /** Asks for `count` writes and returns the time at which they were allowed, or the message of the refusal. */
  const ask = (tenant: TenantId, count = 1): Promise<number | string> =>
    writes.take(tenant, count).then(
      () => time.nowMs(),
      ({ code, message }) => `${code}: ${message}`,
    );
  /** Asks for writes, and returns whether they are allowed within the longest wait. */
  const getsWrites = async (tenant: TenantId, count = 1): Promise<boolean> => {
    const asked = ask(tenant, count);
    await time.move(WRITE_WAIT_MS);
    return typeof (await asked) === 'number';
  };
  return { time, writes, ask, getsWrites };
}

test('the limit on KMS writes holds in any minute, for any pattern of requests', async () => {
  const anyRequests = fc.array(fc.record({ afterMs: fc.nat(9_000), tenant: fc.constantFrom(ONE, OTHER, THIRD) }), {
    minLength: 50,
    maxLength: 100,
  });
  await fc.assert(
    fc.asyncProperty(anyRequests, fc.integer({ min: 2, max: 30 }), async (requests, perMinute) => {
      const { time, ask } = makeWrites(perMinute);
      const asked: Promise<number | string>[] = [];
      for (const { afterMs, tenant } of requests) {
        await time.move(afterMs);
        asked.push(ask(tenant));
      }
      await time.move(WRITE_WAIT_MS);
      const takenAt = (await Promise.all(asked)).filter((answer) => typeof answer === 'number');
      for (const start of takenAt) {
        const within = takenAt.filter((at) => at >= start && at < start + MINUTE_MS);
        expect(within.length).toBeLessThanOrEqual(perMinute);
      }
    }),
    { numRuns: 50 },
  );
});

test('a change gets all its KMS writes or none, from the tenant’s bucket and from the shared bucket', async () => {
  const { getsWrites } = makeWrites(12);
  expect(await getsWrites(ONE, 2)).toBe(true);
  for (let again = 0; again < 3; again++) expect(await getsWrites(ONE, 4)).toBe(false);
  expect(await getsWrites(ONE)).toBe(true);
});

test('a change that needs more KMS writes than a tenant’s bucket can hold is allowed if the tenant has used none of the bucket', async () => {
  const { time, getsWrites } = makeWrites(12);
  expect(await getsWrites(ONE, 5)).toBe(true);
  await time.move(MINUTE_MS);
  expect(await getsWrites(ONE, 5)).toBe(false);
  await time.move(MINUTE_MS);
  expect(await getsWrites(ONE, 5)).toBe(true);
});

test('a change waits up to five seconds for its KMS writes', async () => {
  const { time, ask } = makeWrites(60);
  // Together these tenants use the 30 writes of the shared bucket. A write is refilled every two seconds.
  for (const tenant of [ONE, OTHER]) await ask(tenant, 15);
  const asked = [ask(THIRD), ask(THIRD), ask(THIRD), ask(THIRD, 3)];
  await time.move(WRITE_WAIT_MS);
  expect(await Promise.all(asked)).toEqual([
    2_000,
    4_000,
    ...Array(2).fill('unavailable: too many key changes in the last minute'),
  ]);
});

test('beside two tenants that rotate keys all the time, a tenant with less than a third of the refill gets KMS writes for each creation', async () => {
  const { time, ask } = makeWrites(120);
  const asked: Promise<number | string>[] = [];
  for (let second = 0; second < 300; second++) {
    for (const tenant of [ONE, OTHER]) for (let again = 0; again < 3; again++) void ask(tenant, 3);
    if (second % 4 === 0) asked.push(ask(THIRD));
    await time.move(1_000);
  }
  await time.move(WRITE_WAIT_MS);
  expect((await Promise.all(asked)).filter((answer) => typeof answer === 'string')).toEqual([]);
});

test('the error for too many KMS writes says whether the tenant’s or the shared quota is used up', async () => {
  const { ask } = makeWrites(12);
  for (const tenant of [ONE, OTHER]) await ask(tenant, 3);
  expect(await ask(ONE)).toBe('unavailable: this tenant made too many key changes in the last minute');
  expect(await ask(THIRD)).toBe('unavailable: too many key changes in the last minute');
});

test('a change that cannot begin gives its KMS writes back', async () => {
  const { time, writes, getsWrites } = makeWrites(12);
  const refuse = () => Promise.reject(new Error('no such key'));
  for (let again = 0; again < 50; again++) await expect(writes.takeFor(ONE, 3, refuse)).rejects.toThrow('no such key');
  expect(await writes.takeFor(ONE, 3, async () => 'begun')).toBe('begun');
  await time.move(WRITE_WAIT_MS);
  expect(await getsWrites(ONE)).toBe(false);
});

test('changes without KMS writes are always allowed, and all changes are allowed if no limit is configured', async () => {
  const { writes, getsWrites } = makeWrites(2);
  expect([await getsWrites(ONE), await getsWrites(ONE)]).toEqual([true, false]);
  await writes.take(ONE, 0);
  const unlimited = new KmsWrites(undefined);
  for (let again = 0; again < 1_000; again++) await unlimited.take(ONE, 100);
  expect(await unlimited.takeInTime(0)).toBe(true);
});

test('the job waits for KMS writes as they become available, and is refused at once if they would become available too late', async () => {
  const { time, writes, ask } = makeWrites(60);
  for (const tenant of [ONE, OTHER]) await ask(tenant, 15);
  expect(await writes.takeInTime(performance.now() + 1_000)).toBe(false);
  const taken = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY].map((until) => writes.takeInTime(until));
  await time.move(4_000);
  expect(await Promise.all(taken)).toEqual([true, true]);
});
