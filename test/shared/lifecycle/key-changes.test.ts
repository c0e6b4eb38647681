import { expect, test } from 'vitest';
import { type KeyId, makeId, type TenantId } from '../../../shared/base/ids.ts';
import { KeyChanges } from '../../../shared/lifecycle/key-changes.ts';

const makeKeyOf = (tenant_id: TenantId) => ({ id: makeId<KeyId>(), tenant_id });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const refusal = (message: string) => expect.objectContaining({ code: 'unavailable', message });

/** Key changes that stay open until the test ends them. Records the order in which they began. */
function makeHarness() {
  const changes = new KeyChanges();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    const { promise, resolve } = Promise.withResolvers<string>();
    ends.set(name, () => resolve(name));
    return promise;
  };
  const watched = (outcome: Promise<string>) => {
    outcome.catch(() => undefined);
    return outcome;
  };
  return {
    changes,
    begun,
    change: (key: ReturnType<typeof makeKeyOf>, name: string, asks: 'kms' | 'store' = 'kms') =>
      watched(changes.change(key, asks, work(name))),
    create: (tenant: TenantId, name: string) => watched(changes.create(tenant, work(name))),
    end: async (name: string) => {
      ends.get(name)?.();
      await turn();
    },
  };
}

test('changes of one key run one at a time, in order of arrival', async () => {
  const { begun, change, end } = makeHarness();
  const key = makeKeyOf(makeId());
  for (const name of ['1', '2', '3']) change(key, name);
  await turn();
  expect(begun).toEqual(['1']);
  await end('1');
  expect(begun).toEqual(['1', '2']);
  await end('2');
  expect(begun).toEqual(['1', '2', '3']);
});

test('a change is refused if sixteen changes of the same key are waiting, but another key of the tenant can still be changed', async () => {
  const { begun, change } = makeHarness();
  const [key, other] = [makeKeyOf(makeId()), makeKeyOf(makeId())];
  for (let at = 0; at < 17; at++) change(key, `${at}`);
  await expect(change(key, 'one more')).rejects.toEqual(refusal('too many changes to this key in progress'));
  change({ ...other, tenant_id: key.tenant_id }, 'other');
  await turn();
  expect(begun).toEqual(['0', 'other']);
});

test('a change that pauses between its parts holds up only other changes of its key', async () => {
  const { changes, begun, change, create, end: endOf } = makeHarness();
  const tenant = makeId<TenantId>();
  const keys = Array.from({ length: 128 }, () => makeKeyOf(tenant));
  const { promise: pause, resolve: end } = Promise.withResolvers<void>();
  const rotations = keys.map((key, at) =>
    changes.changeInParts(key, async (inTurn) => {
      await inTurn('kms', async () => undefined);
      await pause;
      await inTurn('kms', async () => begun.push(`end of ${at}`));
    }),
  );
  for (let at = 0; at < 20; at++) await turn();
  const [first] = keys;
  if (first !== undefined) change(first, 'of the same key');
  for (let at = 0; at < 8; at++) create(tenant, `${at}`);
  await turn();
  expect(begun).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  end();
  for (let at = 0; at < 8; at++) await endOf(`${at}`);
  await Promise.all(rotations);
  await turn();
  expect(begun).toContain('of the same key');
});

test('one tenant’s changes and creations of keys run eight at a time and do not delay another tenant', async () => {
  const { begun, change, create } = makeHarness();
  const tenant = makeId<TenantId>();
  for (let at = 0; at < 6; at++) change(makeKeyOf(tenant), `change ${at}`);
  for (let at = 0; at < 6; at++) create(tenant, `creation ${at}`);
  await turn();
  expect(begun).toHaveLength(8);
  change(makeKeyOf(makeId()), 'of another');
  await turn();
  expect(begun).toContain('of another');
});

test('changes that call the KMS do not delay a rename of another key, only later changes of the same key', async () => {
  const { begun, change, create, end } = makeHarness();
  const tenant = makeId<TenantId>();
  const rotated = makeKeyOf(tenant);
  change(rotated, 'rotation');
  for (let at = 0; at < 7; at++) create(tenant, `creation ${at}`);
  await turn();
  change(makeKeyOf(tenant), 'rename of another key', 'store');
  change(rotated, 'rename of the rotated key', 'store');
  await turn();
  expect(begun.slice(8)).toEqual(['rename of another key']);
  await end('rotation');
  expect(begun.slice(9)).toEqual(['rename of the rotated key']);
});
