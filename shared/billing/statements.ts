import type { KeyId, TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { KEYS_DESTROYED, KEYS_OF_TENANT, type Key, LIVE_STATES } from '../keys/key.ts';
import { PAID_TIERS, TIER } from '../keys/tiers.ts';
import { COUNTS_OF_TENANT } from '../metering/counter.ts';
import { type Month, monthStart } from '../metering/month.ts';
import { makeStatement, type PaidUsage, STATEMENTS, type Statement, statementId } from './statement.ts';
import { readLines } from './stored-statement.ts';

/** So many are a page of a few MiB: a key takes one to four kilobytes, a count some 300 bytes. */
const KEYS_PER_PAGE = 2_000;
const COUNTS_PER_PAGE = 5_000;

/** A tenant's month as it was closed, or as it stands now when it is not closed yet. */
export async function readStatement(env: Env, tenantId: TenantId, month: Month): Promise<Statement> {
  const closed = await env.store.find(STATEMENTS, statementId(tenantId, month));
  if (closed === undefined) return drawUp(env, tenantId, month);
  return { ...closed, lines: await readLines(env.store, closed) };
}

/** What a tenant's month costs as it stands now. What it holds in memory is in proportion to the lines. */
export async function drawUp(env: Env, tenantId: TenantId, month: Month): Promise<Statement> {
  const usage = new Map<KeyId, { -readonly [Field in keyof PaidUsage]: PaidUsage[Field] }>();
  for await (const key of paidKeys(env, tenantId, month)) {
    const { id, name, tier, created_at, deletions } = key;
    usage.set(id, { key: { id, name, tier, created_at, deletions }, ops: 0 });
  }
  const counted = env.store.pages(COUNTS_OF_TENANT, { equal: [tenantId, month] }, COUNTS_PER_PAGE);
  for await (const counts of counted) {
    for (const { key_id, ops } of counts) {
      const used = usage.get(key_id);
      if (used !== undefined) used.ops += ops;
    }
  }
  return makeStatement(tenantId, month, usage.values());
}

/**
 * The tenant's paid keys that may have existed in the month. The destroyed ones come last: a key that is destroyed meanwhile is
 * among the live ones, the destroyed ones, or both, but never missing.
 */
async function* paidKeys({ store }: Env, tenantId: TenantId, month: Month): AsyncGenerator<Key> {
  // At most one of them is free where billing is configured: it is not worth a query for each tier.
  const living = { equal: [tenantId], anyOf: LIVE_STATES };
  for await (const live of store.pages(KEYS_OF_TENANT, living, KEYS_PER_PAGE)) {
    yield* live.filter(({ tier }) => TIER[tier].paid);
  }
  const destroyed = { equal: [tenantId], anyOf: PAID_TIERS, since: monthStart(month) };
  for await (const gone of store.pages(KEYS_DESTROYED, destroyed, KEYS_PER_PAGE)) yield* gone;
}
