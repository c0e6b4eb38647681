import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type ApiKeyId, type Id, idSchema, type KeyId, type TenantId, type UserId } from '../base/ids.ts';
import { appendOnlyCollection, instantField } from '../store/collection.ts';
import type { DistinctQuery, Query } from '../store/query.ts';
import type { Writes } from '../store/writes.ts';
import { markUnsealed } from './unsealed.ts';

const event = z.object({
  tenant_id: idSchema<TenantId>(),
  key_id: idSchema<KeyId>().nullable(),
  ts: instantField,
  /** A `Recordable`, or what the next release records: a log must stay readable, and be sealed, after a rollback. */
  operation: z.string(),
  result: z.enum(['success', 'error']),
  /** An `ErrorCode`, or one of the next release. */
  error_code: z.string().nullable(),
  request_id: z.string().nullable(),
  api_key_id: idSchema<ApiKeyId>().nullable(),
  user_id: idSchema<UserId>().nullable(),
  /** What a change of the tenant was about; `null` for operations on keys. */
  target_id: idSchema<Id<string>>().nullable(),
});

/** One row of the audit log: who did what to which key or other thing, and how it ended. */
export type AuditEvent = z.output<typeof event>;

/**
 * A tenant's rows are beside one another in the indexes that its reports are read from, in the order of time, where Firestore takes
 * some 500 writes a second. So each is in one of these shards of them, of which a report is merged.
 */
export const ROW_SHARDS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];

const row = event.extend({ shard: z.int().min(0) });
type Row = z.output<typeof row>;

/** `audit/{random id}`: rows are created, never changed. */
export const AUDIT = appendOnlyCollection('audit', row);

/** A new row's id. */
export function makeRowId(): string {
  return randomUUID();
}

/** An event as its row has it: its shard is as random as the row's id. */
export function makeRow(event: AuditEvent, rowId: string): Row {
  return { ...event, shard: Number.parseInt(rowId.slice(-4), 16) % ROW_SHARDS.length };
}

/** Adds a row to what is written, under an id made beforehand: so a repeated commit cannot add a second. Nothing else writes rows. */
export function appendEvent(writes: Writes, event: AuditEvent, rowId: string = makeRowId()): void {
  writes.create(AUDIT, rowId, makeRow(event, rowId));
  markUnsealed(writes, event);
}

/** A tenant's events, newest first; with filters those alone that have what all of them say. */
export const EVENTS: Query<Row> = {
  from: AUDIT,
  equal: ['tenant_id'],
  anyOf: 'shard',
  filters: ['operation', 'result', 'key_id', 'api_key_id', 'user_id', 'target_id'],
  range: { field: 'ts', order: 'desc' },
};

/** A tenant's events, oldest first, those of one `ts` by their ids: the order in which they are sealed. */
export const EVENTS_TO_SEAL: Query<Row> = {
  from: AUDIT,
  equal: ['tenant_id'],
  anyOf: 'shard',
  range: { field: 'ts', order: 'asc' },
};

/** The tenants that have rows. */
export const TENANTS_OF_ROWS: DistinctQuery<Row> = { from: AUDIT, equal: [], distinct: ['tenant_id', 'shard', 'ts'] };
