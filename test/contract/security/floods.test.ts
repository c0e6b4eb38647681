import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { allConfigured } from '../../../emulators/stack/service-environment.ts';
import { subscriptionEvent } from '../../support/billing.ts';
import { type Answer, outcome, send, text } from '../../support/client.ts';
import { firestoreOf } from '../../support/firestore.ts';
import { openInProcess, servePatiently } from '../../support/in-process.ts';
import { operate } from '../../support/operations.ts';
import { type SlowRequest, sendHalf } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { readClock } from '../../support/steer.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');
const SHARDS = [0, 1, 2, 3, 4, 5, 6, 7];
const TIMES = 12;

/** Locks this month's operation counters of a key in a transaction. Returns a function that releases them. */
async function lockCounters(keyId: string): Promise<() => Promise<void>> {
  const db = firestoreOf(stack);
  const month = (await readClock(stack)).slice(0, 7);
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const transaction = db.runTransaction(
    async (tx) => {
      await tx.getAll(...SHARDS.map((shard) => db.doc(`usage/${keyId}_${month}_${shard}`)));
      locked.resolve();
      await released.promise;
    },
    { maxAttempts: 1 },
  );
  await locked.promise;
  return async () => {
    released.resolve();
    await transaction.catch(() => undefined);
    await db.terminate();
  };
}

test('if the operation counters of one tenant are locked in Firestore, operations of other tenants are not delayed', async () => {
  const [lockedTenant, other] = await Promise.all([makeTenant(stack), makeTenant(stack)]);
  const [lockedKey, key] = [await lockedTenant.createKey('wrapped'), await other.createKey('wrapped')];
  const wrap = (tenant: Tenant, of: string) => operate(tenant.api, of, 'wrap', {});
  await Promise.all([wrap(lockedTenant, lockedKey), wrap(other, key)]);

  const release = await lockCounters(lockedKey);
  onTestFinished(release);
  let answered = 0;
  const waiting = Array.from({ length: TIMES }, () => wrap(lockedTenant, lockedKey).finally(() => answered++));
  for (let time = 0; time < TIMES; time++) expect(outcome(await wrap(other, key))).toBe('200');
  expect(answered).toBe(0);
  await release();
  const outcomes = await Promise.all(waiting);
  expect(outcomes.map(outcome)).toEqual(Array(TIMES).fill('200'));
  expect((await lineOf(lockedTenant.api, lockedKey)).ops).toBe(TIMES + 1);
});

const SENT = 300;
/** The number of requests that one API key may have in flight. */
const LIMIT = 256;
const REFUSED = 'too many requests in progress for this api key';

/** Without the limit on KMS operations, which a fast machine exceeds. */
const { services } = openInProcess(stack, { ...allConfigured(stack), KMS_OPERATIONS_PER_SECOND: undefined });
/** The service in the test's process, without a rate limit. It waits for bodies for as long as a busy machine takes. */
let service: Awaited<ReturnType<typeof servePatiently>>;
beforeAll(async () => {
  service = await servePatiently({ ...services, rateLimit: { take: () => true } }, stack);
});
afterAll(() => service[Symbol.asyncDispose]());

const at = ({ token }: Client) => new Client(service, token);

function collect(answers: readonly Promise<Answer>[]): Answer[] {
  const collected: Answer[] = [];
  for (const answer of answers) answer.then((one) => collected.push(one)).catch(() => undefined);
  return collected;
}

test('if one API key sends many slow bodies, only its own requests are refused, and requests with other API keys succeed', async () => {
  const busy = await makeTenant(stack);
  const keyId = await busy.createKey('wrapped');
  const colleague = at((await busy.mint()).client);
  const other = await makeTenant(stack);
  const otherKey = await other.createKey('wrapped');
  expect(outcome(await operate(at(busy.api), keyId, 'wrap', {}))).toBe('200');

  const body = JSON.stringify({ plaintext: 'aGVsbG8=' });
  const path = `/v1/keys/${keyId}/encrypt`;
  const slow = Array.from({ length: SENT }, () => sendHalf(service, 'POST', path, { token: busy.api.token, body }));
  onTestFinished(() => {
    for (const { abandon } of slow) abandon();
  });
  const early = collect(slow.map(({ answer }) => answer));
  await expect.poll(() => early.length).toBe(SENT - LIMIT);
  expect(outcome(await at(busy.api).send('GET', '/v1/keys'))).toBe('503 unavailable');
  expect(new Set(early.map((answer) => `${outcome(answer)}: ${text(answer, 'message')}`))).toEqual(
    new Set([`503 unavailable: ${REFUSED}`]),
  );
  expect(outcome(await operate(at(other.api), otherKey, 'wrap', {}))).toBe('200');
  expect(outcome(await operate(colleague, keyId, 'wrap', {}))).toBe('200');

  for (const { finish } of slow) finish();
  const outcomes = (await Promise.all(slow.map(({ answer }) => answer))).map(outcome);
  expect(outcomes.filter((one) => one === '200')).toHaveLength(LIMIT);
  expect(outcome(await operate(at(busy.api), keyId, 'wrap', {}))).toBe('200');
});

test('requests that wait for the KMS count towards the limit of requests in flight per API key', async () => {
  const busy = await makeTenant(stack);
  const keyId = await busy.createKey('software');
  const other = await makeTenant(stack);
  const otherKey = await other.createKey('wrapped');
  for (const [{ api }, id] of [[busy, keyId] as const, [other, otherKey] as const]) {
    expect(outcome(await operate(at(api), id, 'wrap', {}))).toBe('200');
  }
  const held = Promise.withResolvers<void>();
  const { kms } = services;
  if (kms === undefined) throw new Error('there is no KMS');
  const encrypt = kms.encrypt.bind(kms);
  vi.spyOn(kms, 'encrypt').mockImplementation((...call) => held.promise.then(() => encrypt(...call)));
  const sent = Array.from({ length: SENT }, () => operate(at(busy.api), keyId, 'wrap', {}));
  const early = collect(sent);
  await expect.poll(() => early.length).toBe(SENT - LIMIT);
  expect(new Set(early.map(outcome))).toEqual(new Set(['503 unavailable']));
  expect(outcome(await operate(at(other.api), otherKey, 'wrap', {}))).toBe('200');
  held.resolve();
  const outcomes = (await Promise.all(sent)).map(outcome);
  expect(outcomes.filter((one) => one === '200')).toHaveLength(LIMIT);
});

const WEBHOOKS = '/v1/webhooks/stripe';
/** The number of webhooks from one address that the service reads at once. In addition, `WEBHOOKS_WAITING` may wait. */
const WEBHOOKS_READ = 8;
const WEBHOOKS_WAITING = 32;
const HASH = 'a'.repeat(64);
const now = () => Math.floor(Date.now() / 1000);

/** Sends part of a webhook with the given signature, from an address that is not Stripe's. */
function sendWebhook(signature: string | undefined): SlowRequest {
  const headers: Record<string, string> = signature === undefined ? {} : { 'stripe-signature': signature };
  const slow = sendHalf(service, 'POST', WEBHOOKS, { body: ' '.repeat(1_000), headers, localAddress: '127.0.0.2' });
  onTestFinished(slow.abandon);
  return slow;
}

test.each<[string, () => string | undefined]>([
  ['no signature', () => undefined],
  ['a malformed signature', () => 'esk'],
  ['no time', () => `v1=${HASH}`],
  ['no hash', () => `t=${now()}`],
  ['a hash of another length', () => `t=${now()},v1=${HASH}a`],
  ['only a hash of another kind', () => `t=${now()},v0=${HASH}`],
  ['a time that is not a number', () => `t=now,v1=${HASH}`],
  ['a time over five minutes ago', () => `t=${now() - 310},v1=${HASH}`],
  ['a time over five minutes ahead', () => `t=${now() + 310},v1=${HASH}`],
])('a webhook with %s is refused before its body arrives', async (_, signature) => {
  expectRefusal(await sendWebhook(signature()).answer, '400 invalid_request');
});

test('a flood of slow webhooks from one address blocks neither webhooks from other addresses nor other requests', async () => {
  const tenant = await makeTenant(stack);
  const early: Answer[] = [];
  for (let sent = 0; sent < WEBHOOKS_READ + WEBHOOKS_WAITING + 1; sent++) {
    sendWebhook(`t=${now()},v1=${HASH}`)
      .answer.then((answer) => early.push(answer))
      .catch(() => undefined);
  }
  await expect.poll(() => early.map(outcome)).toEqual(['503 unavailable']);
  expect(Object(early[0]?.body).message).toBe('too many webhooks in progress');
  const { body, sign } = await subscriptionEvent(stack, tenant.id);
  expect(outcome(await send('POST', `${service.baseUrl}${WEBHOOKS}`, { body, headers: sign() }))).toBe('200');
  expect(outcome(await at(tenant.api).send('GET', '/v1/keys'))).toBe('200');
});
