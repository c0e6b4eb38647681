import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { KmsWrites } from '../../../shared/kms/kms-writes.ts';

const MINUTE_MS = 60_000;
const [ONE, OTHER, THIRD] = [makeId<TenantId>(), makeId<TenantId>(), makeId<TenantId>()];

/** Writes with a limit of `perMinute` a minute, in a time that the test moves. */
function makeWrites(perMinute: number) {
  const time = { ms: 0 };
  const writes = new KmsWrites(perMinute, () => time.ms);
  /** Whether a tenant got this many; throws where it was refused with anything but `unavailable`. */
  const takes = (tenant: TenantId, count = 1): boolean => {
    try {
      writes.take(tenant, count);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'unavailable' });
      return false;
    }
  };
  return { time, writes, takes };
}

describe('the limit on KMS writes', () => {
  test('is not exceeded in any minute, for any pattern of requests', () => {
    const asks = fc.array(fc.record({ afterMs: fc.nat(9_000), tenant: fc.constantFrom(ONE, OTHER, THIRD) }), {
      minLength: 50,
      maxLength: 200,
    });
    fc.assert(
      fc.property(asks, fc.integer({ min: 2, max: 30 }), (asked, perMinute) => {
        const { time, takes } = makeWrites(perMinute);
        const takenAt: number[] = [];
        for (const { afterMs, tenant } of asked) {
          time.ms += afterMs;
          if (takes(tenant)) takenAt.push(time.ms);
        }
        for (const start of takenAt) {
          const within = takenAt.filter((at) => at >= start && at < start + MINUTE_MS);
          expect(within.length).toBeLessThanOrEqual(perMinute);
        }
      }),
    );
  });

  test('is never used up by one tenant', () => {
    const { time, takes } = makeWrites(12);
    for (time.ms = 0; time.ms < 10 * MINUTE_MS; time.ms += 1_000) takes(ONE, 2);
    expect(takes(ONE, 2)).toBe(false);
    expect(takes(OTHER, 3)).toBe(true);
  });

  test('takes all writes of a change or none, from the tenant’s bucket and the shared one', () => {
    const { takes } = makeWrites(12);
    expect(takes(ONE, 2)).toBe(true);
    for (let again = 0; again < 50; again++) expect(takes(ONE, 2)).toBe(false);
    expect(takes(ONE)).toBe(true);
    expect(takes(OTHER, 3)).toBe(true);
    // All six that may be used at once are.
    expect(takes(THIRD)).toBe(false);
  });

  test('lets a change through that needs more than a tenant’s bucket holds, when the bucket is full', () => {
    const { time, takes } = makeWrites(12);
    expect(takes(ONE, 5)).toBe(true);
    time.ms = MINUTE_MS;
    expect(takes(ONE, 5)).toBe(false);
    time.ms = 2 * MINUTE_MS;
    expect(takes(ONE, 5)).toBe(true);
  });

  test('says in its message whether the tenant’s or the shared quota is used up', () => {
    const { writes, takes } = makeWrites(12);
    for (const tenant of [ONE, OTHER]) takes(tenant, 3);
    expect(() => writes.take(ONE, 1)).toThrow('this tenant made too many key changes in the last minute');
    expect(() => writes.take(THIRD, 1)).toThrow('too many key changes in the last minute');
  });

  test('ignores changes without KMS writes, and is off when not configured', async () => {
    const { writes, takes } = makeWrites(2);
    for (let again = 0; again < 50; again++) takes(ONE, 1);
    writes.take(ONE, 0);
    const unlimited = new KmsWrites(undefined);
    for (let again = 0; again < 1_000; again++) unlimited.take(ONE, 100);
    expect(await unlimited.takeInTime(0)).toBe(true);
  });
});

describe('work that can wait for its writes', () => {
  /** A write comes back every 20 ms of real time. */
  const spent = async () => {
    const writes = new KmsWrites(6_000);
    while (await writes.takeInTime(0));
    return writes;
  };

  test('gets them as they come back', async () => {
    const writes = await spent();
    const inTime = () => writes.takeInTime(Number.POSITIVE_INFINITY);
    expect([await inTime(), await inTime(), await inTime()]).toEqual([true, true, true]);
  });

  test('is told at once when they come too late', async () => {
    const writes = await spent();
    expect(await writes.takeInTime(performance.now())).toBe(false);
  });
});
