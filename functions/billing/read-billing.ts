import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { hasGoodSubscription } from '../../shared/billing/standing.ts';
import { nothing } from '../../shared/http/input.ts';
import { loadTenant } from '../../shared/tenancy/tenants.ts';
import { needs } from '../needs.ts';

const answer = z
  .object({
    standing: z.enum(['good', 'none']).describe('`good` if the tenant may use paid operations.'),
    subscription: z
      .object({ status: z.string().describe('The status of the subscription at Stripe.') })
      .nullable()
      .describe('The subscription, or `null` if there is no subscription.'),
  })
  .meta({ id: 'Billing' });

/** Reads the stored copy of the subscription, which webhooks update. Does not call Stripe. */
export const readBillingRoute = needs('store').route({
  id: 'read_billing',
  method: 'GET',
  path: '/v1/billing',
  summary: "Get the tenant's billing standing",
  description: 'Returns whether the tenant may use paid operations, and the status of its subscription.',
  tag: 'Billing',
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer,
  async handle({ store }, { caller }) {
    const tenant = await loadTenant(store, caller.tenantId);
    const subscription = tenant.billing?.subscription ?? null;
    return {
      standing: hasGoodSubscription(tenant) ? ('good' as const) : ('none' as const),
      subscription: subscription && { status: subscription.status },
    };
  },
});
