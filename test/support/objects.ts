import { z } from 'zod';
import type { Answer } from './client.ts';

/** A time in RFC 3339, in UTC with microseconds. */
export const timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);
/** A UUID in the format of the service. */
export const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const version = z.strictObject({
  version: z.int(),
  state: z.enum(['enabled', 'destroy_scheduled']),
  created_at: timestamp,
});

/** The key object, with exactly its fields. */
export const keyObject = z.strictObject({
  id: uuid,
  name: z.string(),
  tier: z.enum(['free', 'wrapped', 'software', 'hsm']),
  container_id: uuid,
  state: z.enum(['active', 'pending_deletion']),
  created_at: timestamp,
  delete_requested_at: timestamp.nullable(),
  destroy_after: timestamp.nullable(),
  primary_version: z.int(),
  versions: z.array(version),
});

/** The API key object, with exactly its fields. */
export const apiKeyObject = z.strictObject({
  id: uuid,
  name: z.string(),
  prefix: z.string().regex(/^[a-z2-7]{26}$/),
  container_id: uuid,
  allowed_actions: z.array(z.string()),
  key_ids: z.array(uuid).nullable(),
  firewall_id: uuid.nullable(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
});

/** The answer to an API key's creation. */
export const newApiKeyObject = apiKeyObject.extend({ token: z.string().regex(/^esk_[a-z2-7]{26}_[\w-]{43}$/) });

/** The container object, with exactly its fields. */
export const containerObject = z.strictObject({
  id: uuid,
  name: z.string(),
  is_default: z.boolean(),
  created_at: timestamp,
});

/** The firewall object, with exactly its fields. */
export const firewallObject = z.strictObject({
  id: uuid,
  name: z.string(),
  container_id: uuid,
  allowed_ips: z.array(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
});

/** The audit event, with exactly its fields. */
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
});

/** A member of a tenant, with exactly its fields. */
export const memberObject = z.strictObject({
  user_id: uuid,
  email: z.string().nullable(),
  name: z.string().nullable(),
  role: z.enum(['owner', 'admin', 'auditor']),
  joined_at: timestamp,
});

/** An invitation, with exactly its fields. */
export const invitationObject = z.strictObject({
  id: uuid,
  role: z.enum(['owner', 'admin', 'auditor']),
  note: z.string().nullable(),
  created_by: uuid,
  created_at: timestamp,
  expires_at: timestamp,
});

/** The answer to an invitation's creation. */
export const newInvitationObject = invitationObject.extend({ token: z.string().min(40) });

/** The answer of `GET /v1/me`, with exactly its fields. */
export const meObject = z.strictObject({
  user: z.strictObject({ id: uuid, email: z.string().nullable(), name: z.string().nullable() }),
  tenant: z.strictObject({ id: uuid, name: z.string().nullable(), created_at: timestamp }),
  role: z.enum(['owner', 'admin', 'auditor']),
});

/** The usage line, with exactly its fields. */
export const usageObject = z.strictObject({
  key_id: uuid,
  container_id: uuid,
  ops: z.int(),
  overage_ops: z.int(),
  cap: z.int(),
  allowance: z.int(),
});

/** The daily usage line, with exactly its fields. */
export const dailyUsageObject = z.strictObject({
  day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  key_id: uuid,
  container_id: uuid,
  ops: z.int(),
});

/** The error body of every refusal but `ops_cap_reached`, with exactly its fields. */
export const errorObject = z.strictObject({ error: z.string(), message: z.string(), request_id: z.string().min(1) });

/** The error body of the Transit routes, with exactly its field. */
export const vaultErrorObject = z.strictObject({ errors: z.tuple([z.string().regex(/^[a-z0-9_]+: ./)]) });

/** The body of an answer, checked against a shape. Throws an `Error` that shows the body if it differs. */
export function read<Shape>(shape: z.ZodType<Shape>, { status, body }: Answer): Shape {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new Error(`${status} ${JSON.stringify(body)}: ${z.prettifyError(parsed.error)}`);
}
