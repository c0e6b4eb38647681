import { expect, test } from 'vitest';
import { MARK_SHARDS, markUnsealed } from '../../../shared/audit/unsealed.ts';
import { makeInstant } from '../../../shared/base/clock.ts';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { Marks } from '../../../shared/store/marks.ts';
import { Writes } from '../../../shared/store/writes.ts';

test('if many tenants write audit rows at the same moment, the documents that mark tenants with unsealed rows use all index shards', () => {
  const shards = new Set<number>();
  const none = () => undefined;
  const target = { create: none, set: (_: string, { shard }: { shard?: number }) => shards.add(shard ?? -1) };
  const writes = new Writes({ ...target, merge: none, update: none, delete: none }, new Marks());
  for (let tenant = 0; tenant < 300; tenant++) {
    markUnsealed(writes, { tenant_id: makeId<TenantId>(), ts: makeInstant(0) });
  }
  expect([...shards].sort((one, other) => one - other)).toEqual(MARK_SHARDS);
});
