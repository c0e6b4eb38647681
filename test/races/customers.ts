import { expect } from 'vitest';
import { z } from 'zod';
import { PRICE_ID, STRIPE_SECRETS } from '../../emulators/stack/service-environment.ts';
import { stripeOf } from '../support/billing.ts';
import { outcome, send } from '../support/client.ts';
import { readDocument } from '../support/firestore.ts';
import { makeTenant } from '../support/tenant.ts';
import type { Race, RaceRequest } from './race.ts';

const text = z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue);
const map = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.object({ mapValue: z.object({ fields: z.object(shape) }) }).transform(({ mapValue }) => mapValue.fields);
const stored = z.object({ fields: z.object({ billing: map({ customer_id: text, subscription: map({ id: text }) }) }) });

export const customerRaces: readonly Race[] = [
  {
    name: 'if two simultaneous Stripe events name different customers for a new tenant, exactly one of them is stored',
    allowed: ['200 | 200'],
    setUp: async ({ stackProcess, secondProcess }) => {
      const stripe = stripeOf(stackProcess);
      /**
       * Makes a customer of the tenant with a subscription. Stripe sends no event, because the subscription names no
       * tenant.
       */
      const makeCustomer = async (tenant_id: string) => {
        const { id: customer_id } = await stripe.customers.create({ metadata: { tenant_id } });
        const { id } = await stripe.subscriptions.create({ customer: customer_id, items: [{ price: PRICE_ID }] });
        return { customer_id, subscription: { id } };
      };
      const delivering =
        (customer: string, tenant_id: string): RaceRequest =>
        async (at) => {
          const object = { customer, metadata: { tenant_id } };
          const raw = JSON.stringify({ type: 'customer.subscription.created', data: { object } });
          const secret = STRIPE_SECRETS.webhookSecret;
          const signature = stripe.webhooks.generateTestHeaderString({ payload: raw, secret });
          const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
          return outcome(await send('POST', `${at.baseUrl}/v1/webhooks/stripe`, { raw, headers }));
        };
      return async () => {
        const { id } = await makeTenant(secondProcess, 'none');
        const customers = [await makeCustomer(id), await makeCustomer(id)];
        return {
          requests: customers.map(({ customer_id }) => delivering(customer_id, id)),
          check: async () => {
            const { billing } = stored.parse(await readDocument(stackProcess, `tenants/${id}`)).fields;
            expect(customers).toContainEqual(billing);
          },
        };
      };
    },
  },
];
