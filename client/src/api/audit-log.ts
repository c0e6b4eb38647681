import type { AuditEvent } from '../types.ts';

/** What an audit event can tell of, in the order in which the specification has it. */
export const AUDIT_OPERATIONS = [
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
] as const satisfies readonly AuditEvent['operation'][];

/** The fields of an audit event, as the API names and orders them. */
export const AUDIT_FIELDS = [
  'id',
  'ts',
  'operation',
  'result',
  'error_code',
  'request_id',
  'key_id',
  'api_key_id',
  'user_id',
] as const satisfies readonly (keyof AuditEvent)[];
