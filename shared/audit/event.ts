import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type ApiKeyId, type Id, idSchema, type KeyId, type TenantId, type UserId } from '../base/ids.ts';
import { appendOnlyCollection, instantField } from '../store/collection.ts';
import type { DistinctQuery, Query } from '../store/query.ts';
import type { Writes } from '../store/writes.ts';
import { changesField } from './changes.ts';
import { markUnsealed } from './unsealed.ts';

const event = z.object({
  tenant_id: idSchema<TenantId>(),
  key_id: idSchema<KeyId>().nullable(),
  ts: instantField,
  /** Any text, not only a `Recordable`: after a rollback, an older release must read the rows of a newer release. */
  operation: z.string(),
  result: z.enum(['success', 'error']),
  error_code: z.string().nullable(),
  request_id: z.string().nullable(),
  api_key_id: idSchema<ApiKeyId>().nullable(),
  user_id: idSchema<UserId>().nullable(),
  /** The id of the changed object, such as an API key or a member; `null` for operations on keys. */
  target_id: idSchema<Id<string>>().nullable(),
  /** The workload that called. Events that were stored before releases had workloads lack it. */
  workload: z.object({ issuer: z.string(), subject: z.string().nullable() }).nullable().optional(),
  /** What was changed; `null` if nothing is said about it. Rows of earlier releases lack the field. */
  changes: changesField.nullable().optional(),
});

export type AuditEvent = z.output<typeof event>;

/** Shards of a tenant's rows, because Firestore allows about 500 writes a second to adjacent index entries. */
export const ROW_SHARDS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];

const row = event.extend({ shard: z.int().min(0) });
type Row = z.output<typeof row>;

/** `audit/{random id}`: rows are created, never changed. */
export const AUDIT = appendOnlyCollection('audit', row);

export function makeRowId(): string {
  return randomUUID();
}

/** Adds the shard to a row. The shard is derived from the row's random id. */
export function makeRow(event: AuditEvent, rowId: string): Row {
  return { ...event, shard: Number.parseInt(rowId.slice(-4), 16) % ROW_SHARDS.length };
}

/** Every audit row is added by this function. A repeated commit adds no second row, because the id stays the same. */
export function appendEvent(writes: Writes, event: AuditEvent, rowId: string = makeRowId()): void {
  writes.create(AUDIT, rowId, makeRow(event, rowId));
  markUnsealed(writes, event);
}

/** A tenant's events, newest first. An event must match all filters. */
export const EVENTS: Query<Row> = {
  from: AUDIT,
  equal: ['tenant_id'],
  anyOf: 'shard',
  filters: ['operation', 'result', 'key_id', 'api_key_id', 'user_id', 'target_id'],
  range: { field: 'ts', order: 'desc' },
};

/** A tenant's events in the order of sealing: oldest first, then by id. */
export const EVENTS_TO_SEAL: Query<Row> = {
  from: AUDIT,
  equal: ['tenant_id'],
  anyOf: 'shard',
  range: { field: 'ts', order: 'asc' },
};

/** Finds the tenants that have audit rows. */
export const TENANTS_OF_ROWS: DistinctQuery<Row> = { from: AUDIT, equal: [], distinct: ['tenant_id', 'shard', 'ts'] };
