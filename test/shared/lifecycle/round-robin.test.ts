import { expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { roundRobin } from '../../../shared/lifecycle/destroy-due-keys.ts';

test('keys are ordered so that tenants take turns: a tenant’s first key waits for at most one key of each other tenant', () => {
  const [a, b, c] = [makeId<TenantId>(), makeId<TenantId>(), makeId<TenantId>()];
  const keys = [a, a, a, b, a, b, c].map((tenant_id, at) => ({ tenant_id, at }));
  expect(roundRobin(keys).map(({ at }) => at)).toEqual([0, 3, 6, 1, 5, 2, 4]);
});
