import { CONSOLE } from '../../shared/auth/admission.ts';
import { ApiError } from '../../shared/errors.ts';
import { nothing } from '../../shared/http/input.ts';
import { loadTenant } from '../../shared/tenancy/tenants.ts';
import { needs } from '../needs.ts';
import { redirectAnswer } from './answers.ts';

/** Answers with the URL of Stripe's customer portal, which leads back to the billing page of the console. */
export const openPortalRoute = needs('store', 'payments', 'subscriptions').route({
  id: 'open_portal',
  method: 'POST',
  path: '/v1/billing/portal',
  summary: 'Create a link to the billing portal',
  description:
    "Returns a link to the payment provider's page where a person manages payment and invoices. Without a subscription, start a checkout first.",
  tag: 'Billing',
  admits: CONSOLE,
  takes: nothing,
  refuses: ['billing_not_set_up'],
  status: 200,
  answer: redirectAnswer,
  async handle({ store, payments, subscriptions }, { caller: { tenantId } }) {
    using _turn = await payments.pages.take(tenantId);
    const open = async () => {
      const { billing } = await loadTenant(store, tenantId);
      return billing?.subscription == null ? undefined : payments.openPortal(billing.customer_id);
    };
    // What is stored can be out of date: a webhook was lost, or the customer was deleted.
    const url = (await open()) ?? (await subscriptions.refresh(tenantId).then(open));
    if (url === undefined) throw new ApiError('billing_not_set_up', 'billing is not set up: start a checkout first');
    await store.confirm();
    return { url };
  },
});
