import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { KmsOperations } from '../../../shared/kms/kms-operations.ts';
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

test('KMS operations are unlimited if no limit is configured', async () => {
  const unlimited = new KmsOperations(undefined);
  for (let call = 0; call < 10_000; call++) {
    await unlimited.takeForOwnKey(ONE);
    await unlimited.takeForDataKey(ONE);
  }
});
