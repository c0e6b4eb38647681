import { CONSOLE } from '../../shared/auth/caller.ts';
import { paymentsOf } from '../../shared/billing/payments.ts';
import { ApiError } from '../../shared/errors.ts';
import { nothing } from '../../shared/http/input.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { loadTenant } from '../../shared/tenancy/tenants.ts';
import { redirectAnswer } from './answers.ts';

export const openPortalRoute = plainRoute({
  id: 'open_portal',
  method: 'POST',
  path: '/v1/billing/portal',
  summary: "Open the payment provider's page to change or end the subscription on",
  admits: CONSOLE,
  takes: nothing,
  refuses: ['billing_not_set_up'],
  status: 200,
  answer: redirectAnswer,
  async handle({ env, caller }) {
    const { billing } = await loadTenant(env.store, caller.tenantId);
    if (billing?.subscription == null) throw new ApiError('billing_not_set_up', 'billing has not been set up');
    return { url: await paymentsOf(env).openPortal(billing.customer_id) };
  },
});
