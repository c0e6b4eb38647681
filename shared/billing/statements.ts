import type { TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { KEYS_OF_TENANT } from '../keys/key.ts';
import { COUNTS_OF_TENANT, sumByKey } from '../metering/counter.ts';
import type { Month } from '../metering/month.ts';
import { makeStatement, STATEMENTS, type Statement, statementId } from './statement.ts';

/** Every state of a key that ever came to be. */
const MADE = ['active', 'pending_deletion', 'destroyed'] as const;

/** A tenant's month as it was closed, or as it stands now when it is not closed yet. */
export async function readStatement(env: Env, tenantId: TenantId, month: Month): Promise<Statement> {
  const closed = await env.store.find(STATEMENTS, statementId(tenantId, month));
  return closed ?? drawUp(env, tenantId, month);
}

/** What a tenant's month costs as it stands now. */
export async function drawUp(env: Env, tenantId: TenantId, month: Month): Promise<Statement> {
  const [keys, counts] = await Promise.all([
    env.store.selectAll(KEYS_OF_TENANT, { equal: [tenantId], anyOf: MADE }),
    env.store.selectAll(COUNTS_OF_TENANT, { equal: [tenantId, month] }),
  ]);
  const ops = sumByKey(counts);
  return makeStatement(
    tenantId,
    month,
    keys.map((key) => ({ key, ops: ops.get(key.id) ?? 0 })),
  );
}
