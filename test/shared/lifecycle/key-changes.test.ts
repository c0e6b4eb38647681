import { describe, expect, test } from 'vitest';
import { type KeyId, makeId, type TenantId } from '../../../shared/base/ids.ts';
import { KeyChanges } from '../../../shared/lifecycle/key-changes.ts';

const aKeyOf = (tenant_id: TenantId) => ({ id: makeId<KeyId>(), tenant_id });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const refusal = (message: string) => expect.objectContaining({ code: 'unavailable', message });

/** Changes that stay under way until they are let end, and which of them were begun. */
function makeWorld() {
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
    begun,
    change: (key: ReturnType<typeof aKeyOf>, name: string, asks: 'kms' | 'store' = 'kms') =>
      watched(changes.change(key, asks, work(name))),
    create: (tenant: TenantId, name: string) => watched(changes.create(tenant, work(name))),
    end: async (name: string) => {
      ends.get(name)?.();
      await turn();
    },
  };
}

describe('changes of one key', () => {
  test('are made one at a time, in the order that they came', async () => {
    const { begun, change, end } = makeWorld();
    const key = aKeyOf(makeId());
    for (const name of ['1', '2', '3']) change(key, name);
    await turn();
    expect(begun).toEqual(['1']);
    await end('1');
    expect(begun).toEqual(['1', '2']);
    await end('2');
    expect(begun).toEqual(['1', '2', '3']);
  });

  test('are refused when sixteen wait, while another key of the tenant can be changed', async () => {
    const { begun, change } = makeWorld();
    const [key, other] = [aKeyOf(makeId()), aKeyOf(makeId())];
    for (let at = 0; at < 17; at++) change(key, `${at}`);
    await expect(change(key, 'one more')).rejects.toEqual(refusal('too many changes to this key in progress'));
    change({ ...other, tenant_id: key.tenant_id }, 'other');
    await turn();
    expect(begun).toEqual(['0', 'other']);
  });

  test('go on after one that failed', async () => {
    const changes = new KeyChanges();
    const key = aKeyOf(makeId());
    const failing = changes.change(key, 'kms', () => Promise.reject(new Error('failed')));
    const next = changes.change(key, 'kms', async () => 'done');
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('done');
  });
});

describe('changes and creations of one tenant', () => {
  test('run eight at a time; another tenant’s do not wait for them', async () => {
    const { begun, change, create } = makeWorld();
    const tenant = makeId<TenantId>();
    for (let at = 0; at < 6; at++) change(aKeyOf(tenant), `change ${at}`);
    for (let at = 0; at < 6; at++) create(tenant, `creation ${at}`);
    await turn();
    expect(begun).toHaveLength(8);
    change(aKeyOf(makeId()), 'of another');
    await turn();
    expect(begun).toContain('of another');
  });

  test('that ask the KMS hold up none of another key that does not; of one key each waits for those before it', async () => {
    const { begun, change, create, end } = makeWorld();
    const tenant = makeId<TenantId>();
    const rotated = aKeyOf(tenant);
    change(rotated, 'rotation');
    for (let at = 0; at < 7; at++) create(tenant, `creation ${at}`);
    await turn();
    change(aKeyOf(tenant), 'rename of another key', 'store');
    change(rotated, 'rename of the rotated key', 'store');
    await turn();
    expect(begun.slice(8)).toEqual(['rename of another key']);
    await end('rotation');
    expect(begun.slice(9)).toEqual(['rename of the rotated key']);
  });

  test('are refused past 128 that run or wait; another tenant’s are not', async () => {
    const { begun, create } = makeWorld();
    const tenant = makeId<TenantId>();
    for (let at = 0; at < 128; at++) create(tenant, `${at}`);
    await expect(create(tenant, 'one more')).rejects.toEqual(
      refusal('too many key changes in progress for this tenant'),
    );
    create(makeId(), 'of another');
    await turn();
    expect(begun).toContain('of another');
  });

  test('are served round-robin by tenant when all slots are taken', async () => {
    const { begun, create, end } = makeWorld();
    const tenants = Array.from({ length: 8 }, () => makeId<TenantId>());
    for (const [number, tenant] of tenants.entries()) {
      for (let at = 0; at < 40; at++) create(tenant, `${number}/${at}`);
    }
    await turn();
    expect(begun).toHaveLength(64);
    create(makeId(), 'of another');
    for (let at = 0; at < 8; at++) await end(`${at}/0`);
    await end('0/1');
    expect(begun).toContain('of another');
  });
});
