import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DEADLINES_MS } from '../../shared/deadlines.ts';
import { eventsOfTenant } from '../support/audit.ts';
import { subscriptionEvent } from '../support/billing.ts';
import { type GoodRequest, goodRequests, methodOf, pathOf, sendCall } from '../support/cases.ts';
import { type Addresses, type Answer, list, outcome } from '../support/client.ts';
import { startTestStack } from '../support/stacks.ts';
import { destroyDueKeys, HOUR_MS, setClock } from '../support/steer.ts';
import { Client, makeTenant, type Tenant } from '../support/tenant.ts';
import { allowed, CASES, type Case } from './expectations.ts';
import { forEach } from './ledger.ts';
import { KINDS, type Kind, makeProxiedService, PARTS, type Part, type ProxiedService } from './proxied-service.ts';

/**
 * The maximum time to an answer, as a multiple of the dependency's deadline. A route may make two calls in sequence,
 * and each call may use its whole deadline. The remaining 0.2 is for all other work. If Firestore's answers are lost, a
 * third call may wait for the locks of the first two.
 */
const MAX_DEADLINES = 2.2;
const DEADLINE: Readonly<Record<Part, number>> = {
  kms: DEADLINES_MS.kms,
  firestore: DEADLINES_MS.firestore,
  pdp: DEADLINES_MS.policy,
  idp: DEADLINES_MS.identity,
  stripe: DEADLINES_MS.stripe,
};

/**
 * npm run drill -- faults: calls every route during every fault of every dependency, on a separate stack. Prints the
 * results. Fails if the service did not behave as promised or answered too late.
 */
export async function drill(): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const stack = await startTestStack();
  cleanup.defer(stack.stop);
  const service = await makeProxiedService(stack);
  cleanup.defer(service.stop);
  for (const part of PARTS) {
    for (const kind of KINDS) {
      await service.start();
      const { results, peakMemory } = await callDuringFault(stack, service, part, kind);
      await service.end('SIGTERM');
      const outcomes = Map.groupBy(results, ({ testCase, outcome }) => (outcome === testCase.good ? 'good' : outcome));
      const counts = [...outcomes].map(([outcome, some]) => `${some.length} × ${outcome}`).join(', ');
      const slowest = Math.max(...results.map(({ tookMs }) => tookMs));
      const recovered = Math.max(...results.map(({ recoveredMs }) => recoveredMs));
      const times = `slowest ${Math.round(slowest)} ms, recovered after ${Math.round(recovered)} ms`;
      process.stdout.write(`${part} ${kind}: ${counts}; ${times}; ${Math.round(peakMemory / 2 ** 20)} MiB\n`);
      for (const { testCase, outcome, tookMs, flaws } of results) {
        const most = (kind === 'silent answers' ? MAX_DEADLINES + 1 : MAX_DEADLINES) * DEADLINE[part];
        const all = [...flaws, ...(tookMs > most ? [`after ${Math.round(tookMs)} ms`] : [])];
        if (all.length === 0) continue;
        process.exitCode = 1;
        const { call, by, tier } = testCase;
        process.stdout.write(`  ${call} by ${by}, key ${tier}: ${outcome}: ${all.join('; ')}\n`);
      }
    }
  }
}

/** The maximum time in which the service must recover after a fault, without a restart. */
const RECOVERY_MS = 30_000;
/** If Firestore's answers are lost, Firestore can keep the locks of transactions for over a minute. */
const LOCKS_MS = 90_000;

/** For each call that makes a change, the answer if the change was already made. */
const ANSWER_IF_REPEATED: Readonly<Record<string, string>> = {
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

/** A tenant, with a valid request for every call. No other test has used these requests. */
interface User {
  readonly tenant: Tenant;
  readonly requests: Readonly<Record<'wrapped' | 'software', Readonly<Record<string, GoodRequest>>>>;
}

async function makeUser(service: ProxiedService): Promise<User> {
  const tenant = await makeTenant(service);
  return {
    tenant,
    requests: { wrapped: await goodRequests(tenant), software: await goodRequests(tenant, 'software') },
  };
}

/**
 * Makes every call once during a fault. After the fault, repeats each call until it succeeds. Returns the result of each
 * call: the answer during the fault and the time until this answer, the time from the end of the fault to the first
 * answer with a status below 500, both in milliseconds, and a line for each flaw. Also returns the peak memory of the
 * process in bytes.
 */
export async function callDuringFault(stack: Addresses, service: ProxiedService, part: Part, kind: Kind) {
  // A tenant may make at most eight changes in the KMS at a time. With two tenants, no call has to wait for another.
  const [native, transit] = [await makeUser(service), await makeUser(service)];
  const userOf = ({ call }: Case) => (call.includes('/v1/transit/') ? transit : native);
  const event = await subscriptionEvent(stack, native.tenant.id);
  // The process reads the public key of the audit log only once, so make it read the key before the fault.
  await native.tenant.console.send('GET', '/v1/audit/key');
  const call = (one: Case, requestId = randomUUID()) => callCase(userOf(one), event, one, requestId);
  if (part === 'idp') {
    // The process reads the identity provider's keys only once, so restart it during the fault.
    await service.end('SIGKILL');
    await service.set(part, kind);
    await service.start();
  }
  await service.set(part, kind);
  // With the fault `failing`, run few requests at once: the service batches simultaneous calls, and a failed batch
  // affects every request in it.
  const during = await forEach(CASES, kind === 'failing' ? 6 : CASES.length, async (one) => {
    const requestId = randomUUID();
    const startedAt = performance.now();
    const answer = await call(one, requestId);
    return { one, requestId, outcome: outcome(answer), tookMs: performance.now() - startedAt };
  });
  await service.set(part, null);
  const faultEndedAt = performance.now();
  const repeated = await Promise.all(
    during.map(async (result) => {
      const locksMs = part === 'firestore' && kind === 'silent answers' ? LOCKS_MS : 0;
      const again = await callUntilRecovered(() => call(result.one), faultEndedAt + locksMs);
      return { ...result, again, recoveredMs: performance.now() - faultEndedAt };
    }),
  );
  // One after the other, because a check of a taken name moves the clock, and sessions expire after an hour.
  const results = Array.fromAsync(repeated, async ({ one, requestId, again, ...result }) => {
    const flaws = allowed(one, part, kind).includes(result.outcome) ? [] : [`answered ${result.outcome}`];
    const { tenant, requests } = userOf(one);
    const name = Object(requests[one.tier ?? 'wrapped'][one.call]?.body).name;
    if (again === ANSWER_IF_REPEATED[one.call] && one.call.startsWith('POST') && typeof name === 'string') {
      flaws.push(...(await checkTakenName(stack, tenant, one, name, () => call(one))));
    } else if (again !== one.good && again !== ANSWER_IF_REPEATED[one.call]) flaws.push(`after the fault: ${again}`);
    flaws.push(...(await checkAuditRows(tenant, result.outcome, requestId, one)));
    return { testCase: one, ...result, flaws };
  });
  return { results: await results, peakMemory: await service.peakMemory() };
}

/** Repeats a call until its answer has a status below 500, or until the time is up. Returns the last answer. */
async function callUntilRecovered(call: () => Promise<Answer>, faultEndedAt: number): Promise<string> {
  for (;;) {
    const answer = await call();
    const isRecovered = answer.status < 500;
    if (isRecovered || performance.now() - faultEndedAt > RECOVERY_MS) return outcome(answer);
    await pause(50);
  }
}

/**
 * Checks why the service refuses to create an object because its name is taken. A listed object must have the name. If
 * no listed key has the name, a run of `destroy-due-keys` must free it.
 */
async function checkTakenName(
  stack: Addresses,
  tenant: Tenant,
  one: Case,
  name: string,
  call: () => Promise<Answer>,
): Promise<string[]> {
  const listed = await tenant.console.send('GET', pathOf(one.call));
  if (listed.status !== 200) return [`after the fault, the list was answered ${outcome(listed)}`];
  if (list(listed).some((thing) => thing.name === name)) return [];
  if (one.call !== 'POST /v1/keys') return ['the name is taken, but no item has it'];
  await setClock(stack, new Date(Date.now() + HOUR_MS).toISOString());
  await destroyDueKeys(stack);
  await setClock(stack, null);
  const again = outcome(await call());
  return again === one.good ? [] : [`the name is taken, but no key has it, and after destroy-due-keys: ${again}`];
}

/**
 * Checks the audit rows of a call. A call with the expected answer must have exactly one row that records a success. A
 * call with any other answer must have at most one.
 */
async function checkAuditRows(tenant: Tenant, during: string, requestId: string, one: Case): Promise<string[]> {
  if (!/\/v1\/(?:keys|transit)/.test(one.call) || methodOf(one.call) === 'GET') return [];
  const rows = await eventsOfTenant(tenant.console).catch(String);
  if (typeof rows === 'string') return [`the audit log was answered ${rows}`];
  const successes = rows.filter(({ request_id, result }) => request_id === requestId && result === 'success').length;
  if (during === one.good && successes !== 1) return [`${successes} audit rows of a success, not 1`];
  return successes > 1 ? [`${successes} audit rows of a success, not at most 1`] : [];
}

function callCase(
  { tenant: { api, console }, requests }: User,
  event: Awaited<ReturnType<typeof subscriptionEvent>>,
  { call, by, tier = 'wrapped' }: Case,
  requestId: string,
): Promise<Answer> {
  const { body, ...request } = requests[tier][call] ?? {};
  const headers = { 'x-request-id': requestId };
  const nobody = new Client(api.stack, undefined);
  const client = { api_key: api, console, nobody, stripe: nobody }[by];
  const signed = { body: event.body, headers: { ...headers, ...event.sign() } };
  return sendCall(client, call, request, by === 'stripe' ? signed : { body, headers });
}
