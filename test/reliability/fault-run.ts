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

/** How one case went through a fault. */
export interface Ordeal {
  readonly of: Case;
  /** What it was answered during the fault, and after how many milliseconds. */
  readonly outcome: string;
  readonly tookMs: number;
  /** After how many milliseconds without the fault it was answered well again. */
  readonly recoveredMs: number;
  /** What is wrong with all that: nothing, if the service is as it should be. */
  readonly flaws: readonly string[];
}

/** How the service went through a fault. */
export interface Outage {
  readonly part: Part;
  readonly kind: Kind;
  readonly ordeals: readonly Ordeal[];
  /** The most memory that the process held, in bytes. */
  readonly peakMemory: number;
}

/** How long the service may take to be well again by itself. */
const RECOVERY_MS = 15_000;

/** What a change that has been made already is answered when it is asked for again. */
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

/** A tenant, and a new good request for every call. */
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

/** Has every case called while a part is in trouble, and again when it is not. */
export async function goThrough(
  stack: Addresses,
  service: BesetService,
  cases: readonly Case[],
  part: Part,
  kind: Kind,
): Promise<Outage> {
  // A tenant may have eight changes ask the KMS at a time: none of the cases waits for others.
  const [native, transit] = [await makeUser(service), await makeUser(service)];
  const userOf = ({ call }: Case) => (call.includes('/v1/transit/') ? transit : native);
  const event = await subscriptionEvent(stack, native.tenant);
  // The public key of the audit log is asked for once; a process that has it does not ask.
  await native.tenant.console.send('GET', '/v1/audit/key');
  const call = (one: Case, requestId = randomUUID()) => callCase(service, userOf(one), event, one, requestId);
  if (part === 'idp') {
    // The provider's keys are fetched once; a process that has them does not ask.
    await service.end('SIGKILL');
    await service.set(part, kind);
    await service.start();
  }
  await service.set(part, kind);
  // Single calls fail only where they are not made together.
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

/** What the case is answered once it is no outage's answer any more, or when the time is up. */
async function untilWell(call: () => Promise<Answer>, mendedAt: number): Promise<string> {
  for (;;) {
    const answer = await call();
    const isWell = answer.status < 500;
    if (isWell || performance.now() - mendedAt > RECOVERY_MS) return outcome(answer);
    await pause(50);
  }
}

/** A name that is taken is taken by something that is shown, or by what a scheduled run clears. */
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

/** What is recorded is answered with the same: one success for a good answer, at most one for another. */
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

/** The provider's own event about the tenant's subscription, signed as it signs. */
async function subscriptionEvent(stack: Addresses, tenant: Tenant): Promise<{ payload: string; signature: string }> {
  const stripe = stripeOf(stack);
  const events = await stripe.events.list({ type: 'customer.subscription.created', limit: 100 });
  const about = events.data.find((event) => JSON.stringify(event.data.object).includes(tenant.id));
  const payload = JSON.stringify(about);
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: STRIPE_SECRETS.webhookSecret });
  return { payload, signature };
}

/** Does some of the work at a time. Returns the outcomes in the order of the items. */
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
