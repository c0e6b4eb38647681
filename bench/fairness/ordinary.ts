import Stripe from 'stripe';
import { z } from 'zod';
import { portsOf } from '../../emulators/stack/ports.ts';
import { STRIPE_SECRETS } from '../../emulators/stack/service-environment.ts';
import { call, type HttpRequest, outcomeOf, send } from '../load.ts';
import { type Addresses, createRequest, makeTenant, mintRequest } from '../tenant.ts';
import { atInterval, inParallel, Tally } from './attack.ts';

/**
 * Finds an event about the tenant's subscription in the Stripe emulator. Returns a function that makes the next request to
 * deliver it, with a new signature.
 */
async function makeDelivery(stack: Addresses, tenantId: string): Promise<() => HttpRequest> {
  const { stripe: port } = portsOf(stack);
  const address = { host: '127.0.0.1', port, protocol: 'http', telemetry: false } as const;
  const stripe = new Stripe(STRIPE_SECRETS.secretKey, address);
  const events = await stripe.events.list({ type: 'customer.subscription.created', limit: 100 });
  const raw = JSON.stringify(events.data.find((event) => JSON.stringify(event.data.object).includes(tenantId)));
  const signed = { payload: raw, secret: STRIPE_SECRETS.webhookSecret };
  return () => {
    const headers = { 'stripe-signature': stripe.webhooks.generateTestHeaderString(signed) };
    return { method: 'POST', path: WEBHOOK_PATH, raw, headers };
  };
}

export const WEBHOOK_PATH = '/v1/webhooks/stripe';

const REQUESTS_A_SECOND = 20;
/**
 * The number of API keys that are created at once. It is small because hashing a new secret keeps one core busy for a
 * while, so further requests could time out on a busy machine.
 */
const MINTED_AT_ONCE = 8;
/** As the platform's front end, the tenant uses connections that are open already: Node accepts new ones slowly. */
const CONNECTIONS = 64;
const TIERS = ['wrapped', 'software', 'hsm'] as const;
const plaintext = Buffer.alloc(1_024, 7).toString('base64');
const sealed = z.object({ ciphertext: z.string() });

/** A tenant that sends few requests, at a steady rate. */
interface OrdinaryTenant {
  /**
   * Sends requests for the given number of seconds, then resolves. `answered` resolves once all of these requests are
   * answered.
   */
  send(seconds: number): Promise<{ readonly answered: Promise<Tally> }>;
}

/**
 * Prepares a tenant for requests that last `seconds` in total. For each second, the tenant has one API key that has
 * never been used.
 */
export async function makeOrdinaryTenant(stack: Addresses, url: string, seconds: number): Promise<OrdinaryTenant> {
  const next = await makeRequests(stack, url, seconds);
  await inParallel(CONNECTIONS, () => send(url, { method: 'GET', path: '/health' }));
  return {
    async send(forSeconds) {
      const tally = new Tally();
      const inFlight: Promise<void>[] = [];
      await atInterval(1_000 / REQUESTS_A_SECOND, AbortSignal.timeout(forSeconds * 1_000), () => {
        inFlight.push(sendAndTally(url, next(), tally));
      });
      return { answered: Promise.all(inFlight).then(() => tally) };
    },
  };
}

/**
 * Sends a request, and records its outcome and the time until the answer. If there is no answer, the outcome is `no
 * answer`.
 */
export async function sendAndTally(
  url: string,
  request: HttpRequest,
  tally: Tally,
  stopped?: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const outcome = await send(url, request, stopped).then(outcomeOf, () => 'no answer');
  if (!stopped?.aborted) tally.record(outcome, performance.now() - startedAt);
}

/**
 * Returns a function that makes the next request. Of 20 requests, 17 are `encrypt` or `decrypt` with keys of three
 * tiers, and one is a workload's.
 */
async function makeRequests(stack: Addresses, url: string, seconds: number): Promise<() => HttpRequest> {
  const tenant = await makeTenant(stack);
  const { apiKey: token } = tenant;
  const unverified: string[] = [];
  while (unverified.length < seconds) unverified.push(...(await inParallel(MINTED_AT_ONCE, () => tenant.mint())));
  const { idToken } = await tenant.federate();
  const deliver = await makeDelivery(stack, tenant.id);
  const onKey = (id: string, operation: string, body?: unknown): HttpRequest => ({
    method: 'POST',
    path: `/v1/keys/${id}/${operation}`,
    token,
    ...(body !== undefined && { body }),
  });
  const list = { method: 'GET', path: '/v1/keys' };
  const uses = await Promise.all(
    TIERS.map(async (tier) => {
      const id = await tenant.createKey(url, tier);
      const encrypt = onKey(id, 'encrypt', { plaintext });
      const { ciphertext } = await call(url, encrypt, sealed);
      return [encrypt, onKey(id, 'decrypt', { ciphertext })];
    }),
  );
  const usual = uses.flat();
  const rotated = {
    wrapped: await tenant.createKey(url, 'wrapped'),
    software: await tenant.createKey(url, 'software'),
  };
  const rarely = [
    () => createRequest(token, 'software'),
    deliver,
    () => onKey(rotated.software, 'rotate'),
    () => mintRequest(tenant.accessToken),
    () => onKey(rotated.wrapped, 'rotate'),
  ];
  let sent = 0;
  return () => {
    const n = sent++;
    const second = Math.floor(n / REQUESTS_A_SECOND);
    switch (n % REQUESTS_A_SECOND) {
      case 5:
        // This request is the first use of its API key, so the service must check the secret.
        return { ...list, token: unverified.pop() ?? token };
      case 10:
        return { ...list, token: idToken };
      case 15:
        return rarely[second % rarely.length]?.() ?? list;
      default:
        return usual[n % usual.length] ?? list;
    }
  };
}
