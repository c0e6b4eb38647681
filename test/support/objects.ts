import { z } from 'zod';
import type { Answer } from './client.ts';

/** A time in RFC 3339, in UTC with microseconds. */
export const timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);
/** A UUID in lower case, as the service writes it. */
export const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const version = z.strictObject({
  version: z.int(),
  state: z.enum(['enabled', 'destroy_scheduled']),
  created_at: timestamp,
});

/** The schema of a key object, which allows only these fields. */
export const keyObject = z.strictObject({
  id: uuid,
  name: z.string(),
  tier: z.enum(['free', 'wrapped', 'software', 'hsm']),
  container_id: uuid,
  state: z.enum(['active', 'pending_deletion']),
  created_at: timestamp,
  delete_requested_at: timestamp.nullable(),
  destroy_after: timestamp.nullable(),
  frozen_at: timestamp.nullable(),
  primary_version: z.int(),
  versions: z.array(version),
});

/** The schema of an API key object, which allows only these fields. */
export const apiKeyObject = z.strictObject({
  id: uuid,
  name: z.string(),
  prefix: z
    .string()
    .regex(/^[a-z2-7]{26}$/)
    .nullable(),
  container_id: uuid,
  allowed_actions: z.array(z.string()),
  key_ids: z.array(uuid).nullable(),
  firewall_id: uuid.nullable(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
  federations: z.array(
    z.strictObject({
      issuer: z.string(),
      claims: z.record(z.string(), z.union([z.string(), z.int(), z.boolean()])),
    }),
  ),
  has_token: z.boolean(),
});

/** The schema of the answer to `POST /v1/api-keys`, which allows only these fields. */
export const newApiKeyObject = apiKeyObject.extend({
  token: z
    .string()
    .regex(/^esk_[a-z2-7]{26}_[\w-]{43}$/)
    .nullable(),
});

/** The schema of an audit event, which allows only these fields. */
export const eventObject = z.strictObject({
  id: uuid,
  ts: timestamp,
  operation: z.string(),
  result: z.enum(['success', 'error']),
  error_code: z.string().nullable(),
  request_id: z.string().nullable(),
  key_id: uuid.nullable(),
  api_key_id: uuid.nullable(),
  user_id: uuid.nullable(),
  target_id: uuid.nullable(),
  /** Events that 1.0.0 stored lack it. */
  workload: z.strictObject({ issuer: z.string(), subject: z.string().nullable() }).nullable().optional(),
  /** Absent from events that 1.0.0 stored. */
  changes: z
    .array(z.strictObject({ field: z.string(), before: z.unknown(), after: z.unknown() }))
    .nullable()
    .optional(),
});

/** The schema of a member of a tenant, which allows only these fields. */
export const memberObject = z.strictObject({
  user_id: uuid,
  email: z.string().nullable(),
  name: z.string().nullable(),
  role: z.enum(['owner', 'admin', 'auditor']),
  joined_at: timestamp,
});

/** The schema of an invitation, which allows only these fields. */
export const invitationObject = z.strictObject({
  id: uuid,
  role: z.enum(['owner', 'admin', 'auditor']),
  note: z.string().nullable(),
  created_by: uuid,
  created_at: timestamp,
  expires_at: timestamp,
});

/** The schema of the answer to `POST /v1/invitations`, which allows only these fields. */
export const newInvitationObject = invitationObject.extend({ token: z.string().min(40) });

/** The schema of the answer to `GET /v1/me`, which allows only these fields. */
export const meObject = z.strictObject({
  user: z.strictObject({ id: uuid, email: z.string().nullable(), name: z.string().nullable() }),
  tenant: z.strictObject({ id: uuid, name: z.string().nullable(), created_at: timestamp }),
  role: z.enum(['owner', 'admin', 'auditor']),
});

/** The schema of a usage line, which allows only these fields. */
export const usageObject = z.strictObject({
  key_id: uuid,
  container_id: uuid,
  ops: z.int(),
  overage_ops: z.int(),
  cap: z.int(),
  allowance: z.int(),
});

/** The schema of a daily usage line, which allows only these fields. */
export const dailyUsageObject = z.strictObject({
  day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  key_id: uuid,
  container_id: uuid,
  ops: z.int(),
});

/**
 * The schema of every error body, except those of `ops_cap_reached` and of the Transit routes. It allows only these
 * fields.
 */
const plainError = z.strictObject({ error: z.string(), message: z.string(), request_id: z.string().min(1) });
const capError = plainError.extend({ error: z.literal('ops_cap_reached'), cap: z.int(), resets_at: timestamp });
export const errorObject = z.union([plainError, capError]);

/** The schema of an error body of the Transit routes, which allows only this field. */
export const vaultErrorObject = z.strictObject({ errors: z.tuple([z.string().regex(/^[a-z0-9_]+: ./)]) });

/** Returns the body of an answer if it matches the schema. Otherwise, throws an `Error` that shows the body. */
export function read<Shape>(shape: z.ZodType<Shape>, { status, body }: Answer): Shape {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new Error(`${status} ${JSON.stringify(body)}: ${z.prettifyError(parsed.error)}`);
}
