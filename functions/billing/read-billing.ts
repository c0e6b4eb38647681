import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import type { BillingNeeds } from '../../shared/billing/needs.ts';
import { hasGoodSubscription } from '../../shared/billing/standing.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import { loadTenant } from '../../shared/tenancy/tenants.ts';

const answer = z
  .object({ standing: z.enum(['good', 'none']), subscription: z.object({ status: z.string() }).nullable() })
  .meta({ id: 'Billing' });

export const readBillingRoute = route({
  id: 'read_billing',
  method: 'GET',
  path: '/v1/billing',
  summary: "The tenant's billing standing",
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer,
  async handle({ store }: BillingNeeds, { caller }) {
    const tenant = await loadTenant(store, caller.tenantId);
    const subscription = tenant.billing?.subscription ?? null;
    return {
      standing: hasGoodSubscription(tenant) ? ('good' as const) : ('none' as const),
      subscription: subscription && { status: subscription.status },
    };
  },
});
