import { z } from 'zod';

const fault = z.union([
  z.literal('down'),
  z.strictObject({ delay_ms: z.number().int().min(0).max(600_000) }),
  z.null(),
]);

export const nothing = z.object({});

/** The time to which the clock is set. `null` returns to real time. */
export const clockInput = z.strictObject({ now: z.iso.datetime({ offset: true }).nullable() });

/** The time at which the clock of the rate limit stands, in milliseconds. `null` returns to the usual rate limit. */
export const rateLimitInput = z.strictObject({ at_ms: z.int().min(0).nullable() });

/** A request for an access token. The identity provider supplies defaults for missing fields. */
export const tokenInput = z.strictObject({
  sub: z.string().min(1),
  email: z.string().optional(),
  name: z.string().optional(),
  expires_in: z.number().int().optional(),
  audience: z.string().optional(),
  issuer: z.string().optional(),
  signed_by: z.literal('stranger').optional(),
});

/** A request for an ID token of a workload. `claims` can be any members of its payload. */
export const workloadTokenInput = z.strictObject({
  audience: z.union([z.string(), z.array(z.string())]).optional(),
  // A `z.record` would drop a claim with the name `__proto__`.
  claims: z.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object').optional(),
  expires_in: z.number().optional(),
});

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The faults to set or clear. A fault that is missing here does not change. */
export const faultsInput = z.strictObject({
  kms: fault.optional(),
  pdp: fault.optional(),
  idp: fault.optional(),
  stripe: fault.optional(),
  firestore: fault.optional(),
  audit_rows: z.literal('down').nullable().optional(),
});

/** The number of operations (`ops`) with a key in a month. It replaces the stored number. */
export const usageInput = z.strictObject({
  key_id: z.guid().toLowerCase(),
  period: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be YYYY-MM'),
  ops: z.number().int().min(0),
});

/** The status to give a tenant's subscription: a status of Stripe's API, or `none` to remove the subscription. */
export const subscriptionInput = z.strictObject({
  tenant_id: z.guid().toLowerCase(),
  status: z.enum([
    'none',
    'active',
    'trialing',
    'past_due',
    'incomplete',
    'incomplete_expired',
    'canceled',
    'unpaid',
    'paused',
  ]),
  /** Whether the webhooks of this change are lost, as if Stripe had given up sending them. */
  webhooks: z.literal('lost').optional(),
});

export const invoicesInput = z.strictObject({ tenant_id: z.guid().toLowerCase() });
