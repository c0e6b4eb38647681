import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type ContainerId, idSchema, type TenantId, type UserId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';

/** What Stripe last said of the tenant's subscription. */
const billing = z.object({ customer_id: z.string(), subscription_id: z.string(), status: z.string() });

const tenant = z.object({
  default_container_id: idSchema<ContainerId>(),
  created_at: instantField,
  billing: billing.nullable(),
});

/** A tenant as stored. */
export type Tenant = z.output<typeof tenant>;

/** `tenants/{tenant id}` */
export const TENANTS = collection('tenants', tenant);

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
