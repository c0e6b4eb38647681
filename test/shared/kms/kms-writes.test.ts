import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { KmsWrites } from '../../../shared/kms/kms-writes.ts';
import { makeManualTime } from '../../support/manual-time.ts';

const MINUTE_MS = 60_000;
const WAIT_MS = 5_000;
const [ONE, OTHER, THIRD] = [makeId<TenantId>(), makeId<TenantId>(), makeId<TenantId>()];

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
    await time.move(WAIT_MS);
    return typeof (await asked) === 'number';
  };
  return { time, writes, ask, getsWrites };
}

describe('the limit on KMS writes', () => {
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
        await time.move(WAIT_MS);
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
    await time.move(WAIT_MS);
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
    await time.move(WAIT_MS);
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
    for (let again = 0; again < 50; again++)
      await expect(writes.takeFor(ONE, 3, refuse)).rejects.toThrow('no such key');
    expect(await writes.takeFor(ONE, 3, async () => 'begun')).toBe('begun');
    await time.move(WAIT_MS);
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
});

test('the job waits for KMS writes as they become available, and is refused at once if they would become available too late', async () => {
  const { time, writes, ask } = makeWrites(60);
  for (const tenant of [ONE, OTHER]) await ask(tenant, 15);
  expect(await writes.takeInTime(performance.now() + 1_000)).toBe(false);
  const taken = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY].map((until) => writes.takeInTime(until));
  await time.move(4_000);
  expect(await Promise.all(taken)).toEqual([true, true]);
});
