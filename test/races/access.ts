import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import { expect } from 'vitest';
import { PRICE_ID, STRIPE_SECRETS } from '../../emulators/stack/service-environment.ts';
import { keyEventsOfTenant } from '../support/audit.ts';
import { stripeOf } from '../support/billing.ts';
import { list, outcome, send } from '../support/client.ts';
import { withStore } from '../support/firestore.ts';
import { Client, makeTenant, signIn } from '../support/tenant.ts';
import { combinations, type Race, type RaceRequest, sending } from './race.ts';

const REFUSED = '401 unauthorized';
const DATA = { plaintext: 'AAAA' };

/** Makes a customer of the tenant with a subscription. Stripe sends no event, because the subscription names no tenant. */
async function makeCustomer(stripe: Stripe, tenant_id: string) {
  const { id: customer_id } = await stripe.customers.create({ metadata: { tenant_id } });
  const { id } = await stripe.subscriptions.create({ customer: customer_id, items: [{ price: PRICE_ID }] });
  return { customer_id, subscription: { id } };
}

export const accessRaces: readonly Race[] = [
  {
    name: 'after an API key is revoked, no process accepts it',
    allowed: combinations([`204, then ${REFUSED} and ${REFUSED}`], ['200', REFUSED], ['200', REFUSED]),
    setUp: async ({ stackProcess, secondProcess }) => {
      const { console, createKey, mint } = await makeTenant(secondProcess);
      const path = `/v1/keys/${await createKey('wrapped')}/encrypt`;
      return async () => {
        const { id, client } = await mint();
        const use = sending(client, 'POST', path, DATA);
        for (const process of [stackProcess, secondProcess]) expect(await use(process)).toBe('200');
        const revocation: RaceRequest = async (at) => {
          const revoked = await new Client(at, console.token).send('DELETE', `/v1/api-keys/${id}`);
          return `${outcome(revoked)}, then ${(await Promise.all([use(stackProcess), use(secondProcess)])).join(' and ')}`;
        };
        const check = async ([, ...uses]: readonly string[]) => {
          const rows = (await keyEventsOfTenant(console)).filter(({ api_key_id }) => api_key_id === id);
          expect(rows).toHaveLength(2 + uses.filter((use) => use === '200').length);
        };
        return { requests: [revocation, use, use], check };
      };
    },
  },
  {
    name: 'an API key that is revoked and changed at the same time stays revoked',
    allowed: combinations(['204'], ['200', '404 not_found']),
    round: async (_, { console, mint }) => {
      const { id, client } = await mint();
      const path = `/v1/api-keys/${id}`;
      const requests = [sending(console, 'DELETE', path), sending(console, 'PATCH', path, { name: 'another' })];
      const check = async () => {
        expect(outcome(await console.send('GET', path))).toBe('404 not_found');
        expect(outcome(await client.send('GET', '/v1/keys'))).toBe(REFUSED);
      };
      return { requests, check };
    },
  },
  {
    name: 'a new person whose first two requests arrive at the same time gets one tenant',
    allowed: ['200 | 200'],
    round: async ({ secondProcess }) => {
      const session = await signIn(secondProcess, randomUUID());
      const bodies: unknown[] = [];
      const request: RaceRequest = async (at) => {
        const { status, body } = await new Client(at, session.token).send('GET', '/v1/me');
        bodies.push(body);
        return String(status);
      };
      const check = async () => {
        expect(bodies[0]).toEqual(bodies[1]);
        expect(list(await session.send('GET', '/v1/containers'))).toHaveLength(1);
      };
      return { requests: [request, request], check };
    },
  },
  {
    name: 'if two simultaneous Stripe events name different customers for a new tenant, exactly one of them is stored',
    allowed: ['200 | 200'],
    setUp: async ({ stackProcess, secondProcess }) => {
      const stripe = stripeOf(stackProcess);
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
        const customers = [await makeCustomer(stripe, id), await makeCustomer(stripe, id)];
        return {
          requests: customers.map(({ customer_id }) => delivering(customer_id, id)),
          check: async () => {
            const stored = await withStore(stackProcess, (store) => store.doc(`tenants/${id}`).get());
            const { customer_id, subscription } = Object(stored.data()?.billing);
            expect(customers).toContainEqual({ customer_id, subscription: { id: subscription.id } });
          },
        };
      };
    },
  },
];
