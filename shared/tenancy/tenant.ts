import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type ContainerId, idSchema, type TenantId, type UserId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';

/** The tenant's customer at the payment provider, which stays once it is set, and what that last said of its subscription. */
const billing = z.object({
  customer_id: z.string(),
  subscription: z.object({ id: z.string(), status: z.string() }).nullable(),
});

const tenant = z.object({
  id: idSchema<TenantId>(),
  default_container_id: idSchema<ContainerId>(),
  created_at: instantField,
  billing: billing.nullable(),
  /** When the tenant's oldest month that is not closed ends. */
  next_close_at: instantField,
  /** When closing it is to be tried: when it ends, or later where that has failed. */
  close_attempt_at: instantField,
  /** How often in a row it has failed. */
  close_failures: z.int().min(0),
});

/** A tenant as stored. */
export type Tenant = z.output<typeof tenant>;

/** `tenants/{tenant id}` */
export const TENANTS = collection('tenants', tenant);
/** The tenants by when closing a month of theirs is to be tried. */
export const TENANTS_BY_ATTEMPT: Query<Tenant> = {
  from: TENANTS,
  equal: [],
  range: { field: 'close_attempt_at', order: 'asc' },
};
/** The tenants by when their oldest month that is not closed ends. */
export const TENANTS_BY_CLOSE: Query<Tenant> = {
  from: TENANTS,
  equal: [],
  range: { field: 'next_close_at', order: 'asc' },
};

/** `users/{user id}`: a person's membership of a tenant. */
export const USERS = collection(
  'users',
  z.object({ tenant_id: idSchema<TenantId>(), role: z.literal('owner'), created_at: instantField }),
);

/** `subjects/{hash}`: which user an identity provider's subject is. Its creation is what makes provisioning happen once. */
export const SUBJECTS = collection(
  'subjects',
  z.object({ user_id: idSchema<UserId>(), tenant_id: idSchema<TenantId>() }),
);

/** The document id of a subject: a hash, so that no identifier of the provider is stored. */
export function subjectId(issuer: string, subject: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
}
