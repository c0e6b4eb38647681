import { CONSOLE } from '../../shared/auth/admission.ts';
import type { BillingNeeds } from '../../shared/billing/needs.ts';
import { ApiError } from '../../shared/errors.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import { loadTenant } from '../../shared/tenancy/tenants.ts';
import { redirectAnswer } from './answers.ts';

export const openPortalRoute = route({
  id: 'open_portal',
  method: 'POST',
  path: '/v1/billing/portal',
  summary: "Open the payment provider's page to change or end the subscription on",
  admits: CONSOLE,
  takes: nothing,
  refuses: ['billing_not_set_up'],
  status: 200,
  answer: redirectAnswer,
  async handle({ store, payments }: BillingNeeds, { caller }) {
    const { billing } = await loadTenant(store, caller.tenantId);
    if (billing?.subscription == null) throw new ApiError('billing_not_set_up', 'billing has not been set up');
    return { url: await payments.openPortal(billing.customer_id) };
  },
});
