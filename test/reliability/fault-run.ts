import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { STRIPE_SECRETS } from '../../emulators/stack/service-environment.ts';
import { stripeOf } from '../support/billing.ts';
import { type Addresses, type Answer, outcome, send } from '../support/client.ts';
import { type GoodRequest, goodRequests } from '../support/good-requests.ts';
import { fillPath, methodOf, pathOf } from '../support/route-table.ts';
import { destroyDueKeys, HOUR_MS, setClock } from '../support/steer.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';
import type { BesetService, Kind, Part } from './beset-service.ts';
import { allowed, type Case } from './expectations.ts';

/** How one case was answered during and after a fault. */
export interface Ordeal {
  readonly of: Case;
  /** The answer during the fault, and its time in milliseconds. */
  readonly outcome: string;
  readonly tookMs: number;
  /** The milliseconds from the end of the fault to the next good answer. */
  readonly recoveredMs: number;
  /** Empty if the service behaved as documented. */
  readonly flaws: readonly string[];
}

export interface Outage {
  readonly part: Part;
  readonly kind: Kind;
  readonly ordeals: readonly Ordeal[];
  /** The peak memory of the process, in bytes. */
  readonly peakMemory: number;
}

/** How long the service may take to recover. */
const RECOVERY_MS = 15_000;

/** The answer to a repeated change that was already made. */
const ALREADY: Readonly<Record<string, string>> = {
  'POST /v1/keys': '409 key_exists',
  'POST /v1/transit/keys/{name}': '409 key_exists',
  'PUT /v1/transit/keys/{name}': '409 key_exists',
  'POST /v1/keys/{id}/restore': '409 not_pending_deletion',
  'POST /v1/keys/{id}/destroy': '404 not_found',
  'POST /v1/containers': '409 container_exists',
  'DELETE /v1/containers/{id}': '404 not_found',
  'POST /v1/firewalls': '409 firewall_exists',
  'DELETE /v1/firewalls/{id}': '404 not_found',
  'DELETE /v1/members/{id}': '404 not_found',
  'DELETE /v1/invitations/{id}': '404 not_found',
  'DELETE /v1/api-keys/{id}': '404 not_found',
};

/** A tenant, and a valid request for every call. */
interface User {
  readonly tenant: Tenant;
  readonly requests: Readonly<Record<'wrapped' | 'software', Readonly<Record<string, GoodRequest>>>>;
}

async function makeUser(service: BesetService): Promise<User> {
  const tenant = await makeTenant(service);
  return {
    tenant,
    requests: { wrapped: await goodRequests(tenant), software: await goodRequests(tenant, 'software') },
  };
}

/** Calls every case during a fault, and again after it. */
export async function goThrough(
  stack: Addresses,
  service: BesetService,
  cases: readonly Case[],
  part: Part,
  kind: Kind,
): Promise<Outage> {
  // Two tenants, because only eight changes per tenant may call the KMS at a time, and cases must not wait for others.
  const [native, transit] = [await makeUser(service), await makeUser(service)];
  const userOf = ({ call }: Case) => (call.includes('/v1/transit/') ? transit : native);
  const event = await subscriptionEvent(stack, native.tenant);
  // The process loads the public key of the audit log only once.
  await native.tenant.console.send('GET', '/v1/audit/key');
  const call = (one: Case, requestId = randomUUID()) => callCase(service, userOf(one), event, one, requestId);
  if (part === 'idp') {
    // The process loads the provider's keys only once, so it starts during the fault.
    await service.end('SIGKILL');
    await service.set(part, kind);
    await service.start();
  }
  await service.set(part, kind);
  // Requests in parallel share calls. With fewer in parallel, single calls can fail.
  const during = await mapConcurrently(cases, kind === 'failing' ? 6 : cases.length, async (one) => {
    const requestId = randomUUID();
    const startedAt = performance.now();
    const answer = await call(one, requestId);
    return { one, requestId, outcome: outcome(answer), tookMs: performance.now() - startedAt };
  });
  await service.set(part, null);
  const mendedAt = performance.now();
  const ordeals = await Promise.all(
    during.map(async ({ one, requestId, outcome, tookMs }): Promise<Ordeal> => {
      const flaws = allowed(one, part, kind).includes(outcome) ? [] : [`answered ${outcome}`];
      const again = await untilWell(() => call(one), mendedAt);
      const recoveredMs = performance.now() - mendedAt;
      const { tenant, requests } = userOf(one);
      const name = Object(requests[one.tier ?? 'wrapped'][one.call]?.body).name;
      if (again === ALREADY[one.call] && one.call.startsWith('POST') && typeof name === 'string') {
        flaws.push(...(await flawsOfTaken(stack, tenant, one, name, () => call(one))));
      } else if (again !== one.good && again !== ALREADY[one.call]) flaws.push(`then ${again}`);
      flaws.push(...(await flawsOfRows(tenant, outcome, requestId, one)));
      return { of: one, outcome, tookMs, recoveredMs, flaws };
    }),
  );
  return { part, kind, ordeals, peakMemory: await service.peakMemory() };
}

/** Returns the first answer below 500, or the last answer when the time is up. */
async function untilWell(call: () => Promise<Answer>, mendedAt: number): Promise<string> {
  for (;;) {
    const answer = await call();
    const isWell = answer.status < 500;
    if (isWell || performance.now() - mendedAt > RECOVERY_MS) return outcome(answer);
    await pause(50);
  }
}

/** Checks that a taken name belongs to an object in the list, or is released by a scheduled run. */
async function flawsOfTaken(
  stack: Addresses,
  tenant: Tenant,
  one: Case,
  name: string,
  call: () => Promise<Answer>,
): Promise<string[]> {
  const shown = z
    .array(z.object({ name: z.string() }))
    .parse((await tenant.console.send('GET', pathOf(one.call))).body);
  if (shown.some((thing) => thing.name === name)) return [];
  if (one.call !== 'POST /v1/keys') return ['the name is taken by nothing'];
  await setClock(stack, new Date(Date.now() + HOUR_MS).toISOString());
  await destroyDueKeys(stack);
  await setClock(stack, null);
  const again = outcome(await call());
  return again === one.good ? [] : [`the name is taken by nothing, and after a run ${again}`];
}

const row = z.object({ request_id: z.string().nullable(), result: z.string() });

/** Checks the audit rows: exactly one success for a good answer, at most one for another answer. */
async function flawsOfRows(tenant: Tenant, during: string, requestId: string, one: Case): Promise<string[]> {
  if (!/\/v1\/(?:keys|transit)/.test(one.call) || methodOf(one.call) === 'GET') return [];
  const log = await tenant.console.send('GET', '/v1/audit?limit=1000');
  if (log.status !== 200) return [`then the audit log ${outcome(log)}`];
  const rows = z.array(row).parse(log.body);
  const successes = rows.filter(({ request_id, result }) => request_id === requestId && result === 'success').length;
  if (during === one.good && successes !== 1) return [`${successes} rows of a success`];
  return successes > 1 ? [`${successes} rows of one attempt`] : [];
}

function callCase(
  service: Addresses,
  { tenant, requests }: User,
  event: { payload: string; signature: string },
  { call, by, tier = 'wrapped' }: Case,
  requestId: string,
): Promise<Answer> {
  const { id = '', query = '', body } = requests[tier][call] ?? {};
  const url = `${service.baseUrl}${fillPath(pathOf(call), id)}${query}`;
  const headers = { 'x-request-id': requestId };
  if (by === 'stripe') {
    return send('POST', url, { raw: event.payload, headers: { ...headers, 'stripe-signature': event.signature } });
  }
  const token = by === 'api_key' ? tenant.api.token : by === 'console' ? tenant.console.token : undefined;
  return send(methodOf(call), url, { token, body, headers });
}

/** Returns Stripe's event about the tenant's subscription, with its signature. */
async function subscriptionEvent(stack: Addresses, tenant: Tenant): Promise<{ payload: string; signature: string }> {
  const stripe = stripeOf(stack);
  const events = await stripe.events.list({ type: 'customer.subscription.created', limit: 100 });
  const about = events.data.find((event) => JSON.stringify(event.data.object).includes(tenant.id));
  const payload = JSON.stringify(about);
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: STRIPE_SECRETS.webhookSecret });
  return { payload, signature };
}

/** Runs `lanes` items at a time. Returns the results in the order of the items. */
async function mapConcurrently<Item, Outcome>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<Outcome>,
): Promise<Outcome[]> {
  const places = Array.from({ length: lanes }, () => Promise.resolve());
  const outcomes = items.map((item, index) => {
    const outcome = (places[index % lanes] ?? Promise.resolve()).then(() => work(item));
    places[index % lanes] = outcome.then(() => undefined);
    return outcome;
  });
  return Promise.all(outcomes);
}
