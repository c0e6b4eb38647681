import { CONSOLE } from '../../shared/auth/admission.ts';
import type { TenantId } from '../../shared/base/ids.ts';
import { ensureCustomer } from '../../shared/billing/customer.ts';
import { isOpenStatus } from '../../shared/billing/payments.ts';
import { nextCheck } from '../../shared/billing/subscriptions.ts';
import { ApiError } from '../../shared/errors.ts';
import { nothing } from '../../shared/http/input.ts';
import { changeTenant, loadTenant } from '../../shared/tenancy/tenants.ts';
import { needs, type Parts } from '../needs.ts';
import { redirectAnswer } from './answers.ts';

export const startCheckoutRoute = needs('store', 'clock', 'payments', 'subscriptions').route({
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
  async handle(services, { caller: { tenantId } }) {
    const { store, clock, payments } = services;
    using _turn = await payments.pages.take(tenantId);
    // From now on, the tenant cannot be left. A checkout does not postpone a comparison with Stripe that is due.
    await changeTenant(store, tenantId, (tenant) => ({
      ...tenant,
      stripe_check_at: tenant.stripe_check_at ?? nextCheck(clock.now()),
    }));
    const customer = await ensureCustomer(store, payments, tenantId);
    await refuseActive(services, tenantId, customer);
    const { id, url } = await payments.openCheckout(tenantId, customer);
    try {
      // An earlier page may have been paid before it expired, and the member may have been removed.
      await refuseActive(services, tenantId, customer);
      await store.confirm();
    } catch (error) {
      await payments.expireCheckout(id);
      throw error;
    }
    return { url };
  },
});

type CheckoutServices = Pick<Parts, 'store' | 'clock' | 'payments' | 'subscriptions'>;

/** Throws `billing_active` if Stripe has an open subscription. Stores what is new: its webhook may have been lost. */
async function refuseActive(services: CheckoutServices, tenantId: TenantId, customer: string): Promise<void> {
  const { store, payments, subscriptions } = services;
  const subscription = await payments.findSubscription(customer);
  const { billing } = await loadTenant(store, tenantId);
  const isOpen = subscription !== undefined && isOpenStatus(subscription.status);
  if (isOpen || billing?.subscription?.status !== subscription?.status) await subscriptions.refresh(tenantId);
  if (isOpen) throw new ApiError('billing_active', 'this tenant already has an open subscription');
}
