import { CONSOLE } from '../../shared/auth/admission.ts';
import { ensureCustomer } from '../../shared/billing/customer.ts';
import { isOpenStatus } from '../../shared/billing/payments.ts';
import { ApiError } from '../../shared/errors.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import { redirectAnswer } from './answers.ts';

/** Creates the tenant's Stripe customer if needed. Throws `billing_active` if it has an open subscription at Stripe. */
export const startCheckoutRoute = route({
  id: 'start_checkout',
  method: 'POST',
  path: '/v1/billing/checkout',
  summary: 'Create a link to the checkout',
  description:
    "Returns a link to the payment provider's page where a person sets up payment. A tenant with an open subscription uses the billing portal instead.",
  tag: 'Billing',
  admits: CONSOLE,
  takes: nothing,
  refuses: ['billing_active'],
  status: 200,
  answer: redirectAnswer,
  async handle({ store, payments }, { caller: { tenantId } }) {
    const customer = await ensureCustomer(store, payments, tenantId);
    const subscription = await payments.findSubscription(customer);
    if (subscription !== undefined && isOpenStatus(subscription.status)) {
      throw new ApiError('billing_active', 'this tenant already has an open subscription');
    }
    return { url: await payments.openCheckout(tenantId, customer) };
  },
});
