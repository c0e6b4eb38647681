import { expect } from 'vitest';
import { z } from 'zod';
import { PRICE_ID, STRIPE_SECRETS } from '../../emulators/stack/service-environment.ts';
import { stripeOf } from '../support/billing.ts';
import { outcome, send } from '../support/client.ts';
import { readDocument } from '../support/documents.ts';
import { makeTenant } from '../support/tenant.ts';
import type { Contender, Race } from './race.ts';

const text = z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue);
const map = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.object({ mapValue: z.object({ fields: z.object(shape) }) }).transform(({ mapValue }) => mapValue.fields);
const stored = z.object({
  fields: z.object({ billing: map({ customer_id: text, subscription: map({ id: text }) }) }),
});

export const customerRaces: readonly Race[] = [
  {
    name: 'if two simultaneous events name different customers of a new tenant, the tenant gets one of them',
    allowed: ['200 | 200'],
    open: async ({ here, there }) => {
      const stripe = stripeOf(here);
      /** Makes a customer of the tenant, with a subscription that names no tenant and so sends no event. */
      const makeCustomer = async (tenant_id: string) => {
        const { id: customer_id } = await stripe.customers.create({ metadata: { tenant_id } });
        const { id } = await stripe.subscriptions.create({ customer: customer_id, items: [{ price: PRICE_ID }] });
        return { customer_id, subscription: { id } };
      };
      const delivering =
        (customer: string, tenant_id: string): Contender =>
        async (at) => {
          const object = { customer, metadata: { tenant_id } };
          const raw = JSON.stringify({ type: 'customer.subscription.created', data: { object } });
          const secret = STRIPE_SECRETS.webhookSecret;
          const signature = stripe.webhooks.generateTestHeaderString({ payload: raw, secret });
          const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
          return outcome(await send('POST', `${at.baseUrl}/v1/webhooks/stripe`, { raw, headers }));
        };
      return async () => {
        const { id } = await makeTenant(there, 'none');
        const customers = [await makeCustomer(id), await makeCustomer(id)];
        return {
          contenders: customers.map(({ customer_id }) => delivering(customer_id, id)),
          check: async () => {
            const { billing } = stored.parse(await readDocument(here, `tenants/${id}`)).fields;
            expect(customers).toContainEqual(billing);
          },
        };
      };
    },
  },
];
