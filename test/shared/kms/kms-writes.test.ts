import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { KmsWrites } from '../../../shared/kms/kms-writes.ts';

const MINUTE_MS = 60_000;
const [ONE, OTHER, THIRD] = [makeId<TenantId>(), makeId<TenantId>(), makeId<TenantId>()];

/** A limit of `perMinute` writes, on a clock that the test sets. */
function makeWrites(perMinute: number) {
  const time = { ms: 0 };
  const writes = new KmsWrites(perMinute, () => time.ms);
  /** Takes `count` writes and returns whether they were allowed. Any error except `unavailable` fails the test. */
  const getsWrites = (tenant: TenantId, count = 1): boolean => {
    try {
      writes.take(tenant, count);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'unavailable' });
      return false;
    }
  };
  return { time, writes, getsWrites };
}

describe('the limit on KMS writes', () => {
  test('the limit on KMS writes holds in any minute, for any pattern of requests', () => {
    const anyRequests = fc.array(fc.record({ afterMs: fc.nat(9_000), tenant: fc.constantFrom(ONE, OTHER, THIRD) }), {
      minLength: 50,
      maxLength: 200,
    });
    fc.assert(
      fc.property(anyRequests, fc.integer({ min: 2, max: 30 }), (requests, perMinute) => {
        const { time, getsWrites } = makeWrites(perMinute);
        const takenAt: number[] = [];
        for (const { afterMs, tenant } of requests) {
          time.ms += afterMs;
          if (getsWrites(tenant)) takenAt.push(time.ms);
        }
        for (const start of takenAt) {
          const within = takenAt.filter((at) => at >= start && at < start + MINUTE_MS);
          expect(within.length).toBeLessThanOrEqual(perMinute);
        }
      }),
    );
  });

  test('one tenant cannot use up the limit on KMS writes', () => {
    const { time, getsWrites } = makeWrites(12);
    for (time.ms = 0; time.ms < 10 * MINUTE_MS; time.ms += 1_000) getsWrites(ONE, 2);
    expect(getsWrites(ONE, 2)).toBe(false);
    expect(getsWrites(OTHER, 3)).toBe(true);
  });

  test('a change gets all its KMS writes or none, from the tenant’s bucket and from the shared bucket', () => {
    const { getsWrites } = makeWrites(12);
    expect(getsWrites(ONE, 2)).toBe(true);
    for (let again = 0; again < 50; again++) expect(getsWrites(ONE, 2)).toBe(false);
    expect(getsWrites(ONE)).toBe(true);
    expect(getsWrites(OTHER, 3)).toBe(true);
    // The bucket for all tenants holds six writes, and all six are used up.
    expect(getsWrites(THIRD)).toBe(false);
  });

  test('a change that needs more KMS writes than a tenant’s bucket can hold is allowed if the tenant has used none of the bucket', () => {
    const { time, getsWrites } = makeWrites(12);
    expect(getsWrites(ONE, 5)).toBe(true);
    time.ms = MINUTE_MS;
    expect(getsWrites(ONE, 5)).toBe(false);
    time.ms = 2 * MINUTE_MS;
    expect(getsWrites(ONE, 5)).toBe(true);
  });

  test('the error for too many KMS writes says whether the tenant’s or the shared quota is used up', () => {
    const { writes, getsWrites } = makeWrites(12);
    for (const tenant of [ONE, OTHER]) getsWrites(tenant, 3);
    expect(() => writes.take(ONE, 1)).toThrow('this tenant made too many key changes in the last minute');
    expect(() => writes.take(THIRD, 1)).toThrow('too many key changes in the last minute');
  });

  test('changes without KMS writes are always allowed, and all changes are allowed if no limit is configured', async () => {
    const { writes, getsWrites } = makeWrites(2);
    for (let again = 0; again < 50; again++) getsWrites(ONE, 1);
    writes.take(ONE, 0);
    const unlimited = new KmsWrites(undefined);
    for (let again = 0; again < 1_000; again++) unlimited.take(ONE, 100);
    expect(await unlimited.takeInTime(0)).toBe(true);
  });
});

describe('work that can wait for KMS writes', () => {
  /** Returns a limit whose writes are used up, and which regains one write every 20 ms of real time. */
  const usedUp = async () => {
    const writes = new KmsWrites(6_000);
    while (await writes.takeInTime(0));
    return writes;
  };

  test('work that can wait gets KMS writes as they become available', async () => {
    const writes = await usedUp();
    const inTime = () => writes.takeInTime(Number.POSITIVE_INFINITY);
    expect([await inTime(), await inTime(), await inTime()]).toEqual([true, true, true]);
  });

  test('work that can wait is refused at once if KMS writes would become available too late', async () => {
    const writes = await usedUp();
    expect(await writes.takeInTime(performance.now())).toBe(false);
  });
});
