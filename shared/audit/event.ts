import { z } from 'zod';
import { type ApiKeyId, idSchema, type KeyId, type TenantId, type UserId } from '../base/ids.ts';
import { isErrorCode } from '../errors.ts';
import { appendOnlyCollection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';

/** The names of what is recorded. */
export const OPERATIONS = [
  'create_key',
  'rename_key',
  'rotate_key',
  'delete_key',
  'restore_key',
  'destroy_key',
  'encrypt',
  'decrypt',
  'wrap',
  'unwrap',
  'rewrap',
] as const;
export type Operation = (typeof OPERATIONS)[number];

const event = z.object({
  tenant_id: idSchema<TenantId>(),
  key_id: idSchema<KeyId>().nullable(),
  ts: instantField,
  operation: z.enum(OPERATIONS),
  result: z.enum(['success', 'error']),
  error_code: z.string().refine(isErrorCode).nullable(),
  request_id: z.string().nullable(),
  api_key_id: idSchema<ApiKeyId>().nullable(),
  user_id: idSchema<UserId>().nullable(),
});

/** One row of the audit log: who did what to which key, and how it ended. */
export type AuditEvent = z.output<typeof event>;

/** `audit/{random id}`: rows are created, never changed. */
export const AUDIT = appendOnlyCollection('audit', event);

const newestFirst = { field: 'ts', order: 'desc' } as const;

/** A key's events, newest first. */
export const EVENTS_OF_KEY: Query<AuditEvent> = { from: AUDIT, equal: ['key_id'], range: newestFirst };
/** A tenant's events, newest first: all of them, those of an operation, those of a result, those of both. */
export const EVENTS_OF_TENANT: Query<AuditEvent> = { from: AUDIT, equal: ['tenant_id'], range: newestFirst };
export const EVENTS_BY_OPERATION: Query<AuditEvent> = {
  from: AUDIT,
  equal: ['tenant_id', 'operation'],
  range: newestFirst,
};
export const EVENTS_BY_RESULT: Query<AuditEvent> = { from: AUDIT, equal: ['tenant_id', 'result'], range: newestFirst };
export const EVENTS_BY_BOTH: Query<AuditEvent> = {
  from: AUDIT,
  equal: ['tenant_id', 'operation', 'result'],
  range: newestFirst,
};
