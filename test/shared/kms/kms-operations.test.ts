import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { KmsOperations } from '../../../shared/kms/kms-operations.ts';

const [ONE, OTHER, THIRD] = [makeId<TenantId>(), makeId<TenantId>(), makeId<TenantId>()];

/** A limit of 300 operations a second, on a clock that the test sets. */
function makeOperations() {
  const time = { ms: 0 };
  const operations = new KmsOperations(300, () => time.ms);
  /** Makes up to `calls` calls at once and returns how many succeeded before the first refusal. */
  const countAllowed = (kind: 'takeForOwnKey' | 'takeForDataKey', tenant: TenantId, calls = 1_000): number => {
    for (let count = 0; count < calls; count++) {
      try {
        operations[kind](tenant);
      } catch (error) {
        expect(error).toMatchObject({ code: 'unavailable' });
        return count;
      }
    }
    return calls;
  };
  return {
    time,
    operations,
    ownKeys: (tenant: TenantId, calls?: number) => countAllowed('takeForOwnKey', tenant, calls),
    dataKeys: (tenant: TenantId, calls?: number) => countAllowed('takeForDataKey', tenant, calls),
  };
}

test('one tenant may use half of the quota of KMS operations, including those for data keys, and regains that half in a second', () => {
  const { time, ownKeys, dataKeys } = makeOperations();
  expect(ownKeys(ONE, 100)).toBe(100);
  expect(dataKeys(ONE)).toBe(50);
  expect(ownKeys(ONE)).toBe(0);
  time.ms = 500;
  expect(dataKeys(ONE)).toBe(75);
  time.ms = 60_000;
  expect(ownKeys(ONE)).toBe(150);
});

test('operations with tenants’ CryptoKeys can use only five sixths of the quota, so a sixth remains for data keys', () => {
  const { time, ownKeys, dataKeys } = makeOperations();
  expect([ownKeys(ONE), ownKeys(OTHER), ownKeys(THIRD)]).toEqual([150, 100, 0]);
  // The exact result is 50, but a rounding error may make it 49.
  expect(dataKeys(THIRD)).toBeGreaterThanOrEqual(49);
  for (time.ms = 1_000; time.ms <= 10_000; time.ms += 1_000) {
    expect(ownKeys(ONE) + ownKeys(OTHER)).toBe(250);
    expect(dataKeys(THIRD)).toBeGreaterThanOrEqual(49);
  }
});

test('for any pattern of calls, KMS operations never exceed the quota of one second plus the refill since the start', () => {
  const calls = fc.record({
    afterMs: fc.nat(400),
    tenant: fc.constantFrom(ONE, OTHER, THIRD),
    isOwn: fc.boolean(),
    count: fc.nat(400),
  });
  fc.assert(
    fc.property(fc.array(calls, { maxLength: 40 }), (pattern) => {
      const { time, ownKeys, dataKeys } = makeOperations();
      const taken = { ownKeys: 0, all: 0 };
      for (const { afterMs, tenant, isOwn, count } of pattern) {
        time.ms += afterMs;
        const done = isOwn ? ownKeys(tenant, count) : dataKeys(tenant, count);
        taken.all += done;
        if (isOwn) taken.ownKeys += done;
      }
      const seconds = 1 + time.ms / 1_000;
      expect(taken.all).toBeLessThanOrEqual(300 * seconds + 0.001);
      expect(taken.ownKeys).toBeLessThanOrEqual(250 * seconds + 0.001);
    }),
  );
});

test('the error for too many KMS operations says whether the tenant’s share or the shared quota is used up', () => {
  const { operations, ownKeys } = makeOperations();
  for (const tenant of [ONE, OTHER]) ownKeys(tenant);
  expect(() => operations.takeForOwnKey(ONE)).toThrow('this tenant has used up its share of kms operations');
  expect(() => operations.takeForOwnKey(THIRD)).toThrow('too many kms operations at once');
});

test('KMS operations are unlimited if no limit is configured', () => {
  const unlimited = new KmsOperations(undefined);
  for (let call = 0; call < 10_000; call++) {
    unlimited.takeForOwnKey(ONE);
    unlimited.takeForDataKey(ONE);
  }
});
