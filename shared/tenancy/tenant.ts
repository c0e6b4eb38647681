import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type ContainerId, idSchema, type TenantId, type UserId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import { roleSchema } from './role.ts';

/** The Stripe customer, replaced only if Stripe no longer has it, and the last known state of its subscription. */
const billing = z.object({
  customer_id: z.string(),
  subscription: z.object({ id: z.string(), status: z.string() }).nullable(),
});

const tenant = z.object({
  id: idSchema<TenantId>(),
  name: z.string().nullable(),
  default_container_id: idSchema<ContainerId>(),
  created_at: instantField,
  billing: billing.nullable(),
  /** When to compare `billing` with Stripe again. `null` until a checkout starts or Stripe names a customer. */
  stripe_check_at: instantField.nullable().default(null),
  /** The end of the tenant's oldest open month. */
  next_close_at: instantField,
  /** When to try again to close that month: at its end, or later after a failure. */
  close_attempt_at: instantField,
  close_failures: z.int().min(0),
});

export type Tenant = z.output<typeof tenant>;

export const TENANTS = collection('tenants', tenant);
export const TENANTS_OF_ALL: Query<Tenant> = { from: TENANTS, equal: [] };
export const TENANTS_BY_ATTEMPT: Query<Tenant> = {
  from: TENANTS,
  equal: [],
  range: { field: 'close_attempt_at', order: 'asc' },
};
export const TENANTS_BY_CLOSE: Query<Tenant> = {
  from: TENANTS,
  equal: [],
  range: { field: 'next_close_at', order: 'asc' },
};

/** The tenants whose `billing` must be compared with Stripe. */
export const TENANTS_BY_STRIPE_CHECK: Query<Tenant> = {
  from: TENANTS,
  equal: [],
  range: { field: 'stripe_check_at', order: 'asc' },
};

const subject = z.object({
  user_id: idSchema<UserId>(),
  /** A copy of the membership in the tenant's team; `null` for a removed member. */
  membership: z.object({ tenant_id: idSchema<TenantId>(), role: roleSchema }).nullable(),
});

export type Subject = z.output<typeof subject>;

/** `subjects/{hash}`: a person's user id and membership. A document is created only once: nobody gets two tenants. */
export const SUBJECTS = collection('subjects', subject);

/** Returns a hash, so that no identifier of the identity provider is stored. */
export function subjectId(issuer: string, subject: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
}
