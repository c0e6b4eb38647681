import { expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { takingTurns } from '../../../shared/keys/turns.ts';

test('tenants take turns, each one’s keys in their order: one key waits for one of each other tenant at the most', () => {
  const [a, b, c] = [makeId<TenantId>(), makeId<TenantId>(), makeId<TenantId>()];
  const keys = [a, a, a, b, a, b, c].map((tenant_id, at) => ({ tenant_id, at }));
  expect(takingTurns(keys).map(({ at }) => at)).toEqual([0, 3, 6, 1, 5, 2, 4]);
});
