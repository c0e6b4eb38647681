import { randomUUID } from 'node:crypto';
import { AUDIT, type AuditEvent, makeRow, makeRowId } from '../../shared/audit/event.ts';
import { makeClock } from '../../shared/base/clock.ts';
import { makeId } from '../../shared/base/ids.ts';
import { monthOf } from '../../shared/base/month.ts';
import { shardId, USAGE } from '../../shared/metering/counter.ts';
import { Commit } from '../../shared/store/commit.ts';
import type { FirestoreApi } from '../../shared/store/firestore-api.ts';
import { Writes } from '../../shared/store/writes.ts';

const clock = makeClock();

/**
 * Commits the audit row and the count of one operation, as the service does for a new tenant, but does nothing else.
 */
export async function commitOne(api: FirestoreApi): Promise<void> {
  const event: AuditEvent = {
    tenant_id: makeId(),
    key_id: null,
    ts: clock.now(),
    operation: 'encrypt',
    result: 'success',
    error_code: null,
    request_id: randomUUID(),
    api_key_id: makeId(),
    user_id: null,
    target_id: null,
  };
  const count = {
    tenant_id: event.tenant_id,
    container_id: makeId<never>(),
    key_id: makeId<never>(),
    month: monthOf(event.ts),
  };
  const commit = new Commit(api);
  const writes = new Writes(commit);
  const rowId = makeRowId();
  writes.create(AUDIT, rowId, makeRow(event, rowId));
  writes.increment(
    USAGE,
    shardId({ id: count.key_id, tier: 'wrapped' }, count.month, 0),
    { ops: 1, days: { '01': 1 }, older_days: {} },
    count,
  );
  await commit.apply();
}
