import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { type ApiKeyId, idSchema } from '../../../shared/base/ids.ts';
import { tokenPrefix } from '../../../shared/tenancy/token.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { withWrongSecret } from '../../support/bad-credentials.ts';
import { fillPath, methodOf, pathOf } from '../../support/cases.ts';
import { type Answer, outcome, text } from '../../support/client.ts';
import { openInProcess, servePatiently } from '../../support/in-process.ts';
import { apiKeyObject, read } from '../../support/objects.ts';
import { ownStack } from '../../support/own-stack.ts';
import { sendHalf } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { ROUTES } from '../../support/route-table.ts';
import { DEPLOYED } from '../../support/stacks.ts';
import { holdRateLimit } from '../../support/steer.ts';
import { Client, makeFirewall, makeTenant, signIn } from '../../support/tenant.ts';
import { codesOf, transit } from '../../support/transit.ts';
import { lineOf } from '../../support/usage.ts';
import { workloadToken } from '../../support/workloads.ts';

/** This file has its own stack, whose rate limit has a clock that stands. */
const stack = ownStack();
const CAPACITY = 100;
const LIMITED = '429 rate_limited';

/** Fills all token buckets, and stops their refill. */
async function fillBuckets(): Promise<void> {
  await holdRateLimit(stack, null);
  await holdRateLimit(stack, 0);
}

/** Sends a request on its own connection, because the service may close an idle one that is about to be used. */
function sendAlone(client: Client, method: string, path: string): Promise<Answer> {
  return client.send(method, path, undefined, { headers: { connection: 'close' } });
}

/** Sends requests at once. Returns their outcomes with the number of answers. */
async function burst(count: number, request: () => Promise<Answer>): Promise<Record<string, number>> {
  const answers = await Promise.all(Array.from({ length: count }, request));
  const outcomes: Record<string, number> = {};
  for (const answer of answers) outcomes[outcome(answer)] = (outcomes[outcome(answer)] ?? 0) + 1;
  return outcomes;
}

/** Checks that a full bucket lets exactly 100 of these requests pass, and refuses the next one. */
async function expectOneTokenEach(passed: string, request: () => Promise<Answer>): Promise<void> {
  await fillBuckets();
  expect(await burst(CAPACITY, request)).toEqual({ [passed]: CAPACITY });
  const refused = await request();
  expectRefusal(refused, LIMITED);
  expect(refused.body).toMatchObject({ message: 'too many requests for this api key' });
  expect([...refused.headers.keys()].filter((name) => /retry-after|ratelimit/i.test(name))).toEqual([]);
}

/** Checks that requests of the first kind leave the bucket of the second client full. */
async function expectNoToken(passed: string, request: () => Promise<Answer>, client: Client): Promise<void> {
  await fillBuckets();
  expect(await burst(CAPACITY + 1, request)).toEqual({ [passed]: CAPACITY + 1 });
  expect(await burst(CAPACITY, () => sendAlone(client, 'GET', '/v1/usage'))).toEqual({ 200: CAPACITY });
}

const HUNDRED_ITEMS = [...Array(CAPACITY).fill('ok'), ...Array(20).fill('rate_limited')];

/** Sends two batches of 60 items each for the key `batch`. Returns the outcomes of the items. */
async function sendBatches(client: Client): Promise<string[]> {
  const batch_input = Array.from({ length: 60 }, () => ({ plaintext: 'AAECAw==' }));
  const send = () => transit(client, 'POST /encrypt/batch', { batch_input });
  return [...codesOf(await send()), ...codesOf(await send())];
}

// Deployed functions cannot hold their rate limit.
describe.runIf(!DEPLOYED)('the rate limit', () => {
  test.each([
    ['a successful request', 'GET', '/v1/keys/{own}', '200'],
    ['a request for an unknown key', 'GET', '/v1/keys/{unknown}', '404 not_found'],
    ['a request that needs a session', 'GET', '/v1/me', '403 session_required'],
    ['a request with an invalid body', 'POST', '/v1/keys', '415 unsupported_media_type'],
  ])('%s uses one token of the API key', async (_, method, path, passed) => {
    const { api, createKey } = await makeTenant(stack);
    const target = path.replace('{own}', await createKey('wrapped')).replace('{unknown}', randomUUID());
    await expectOneTokenEach(passed, () => sendAlone(api, method, target));
  });

  test('a request that the firewall refuses uses one token of the API key', async () => {
    const tenant = await makeTenant(stack);
    const { client } = await tenant.mint({ firewall_id: await makeFirewall(tenant) });
    await expectOneTokenEach('403 ip_not_allowed', () => sendAlone(client, 'GET', '/v1/keys'));
  });

  test('a request with a slow body uses one token, although its credential is checked twice', async () => {
    const { console, createKey, mint } = await makeTenant(stack);
    const path = `/v1/keys/${await createKey('wrapped')}/encrypt`;
    const { id, client } = await mint();
    const take = vi.fn(() => true);
    const { services } = openInProcess(stack);
    await using service = await servePatiently({ ...services, rateLimit: { take } }, stack);
    const body = JSON.stringify({ plaintext: 'aGVsbG8=' });
    const slow = sendHalf(service, 'POST', path, { token: client.token, body });
    // The first check of the credential notes its use.
    const lastUse = async () => read(apiKeyObject, await console.send('GET', `/v1/api-keys/${id}`)).last_used_at;
    await expect.poll(lastUse, { interval: 100 }).not.toBeNull();
    slow.finish();
    expect(outcome(await slow.answer)).toBe('200');
    expect(take).toHaveBeenCalledOnce();
  });

  test('each API key has its own token bucket', async () => {
    const { api, mint } = await makeTenant(stack);
    const other = (await mint()).client;
    await expectOneTokenEach('200', () => sendAlone(api, 'GET', '/v1/keys'));
    expect(await burst(CAPACITY, () => sendAlone(other, 'GET', '/v1/keys'))).toEqual({ 200: CAPACITY });
  });

  test('a request that is refused with rate_limited is not recorded in the audit log', async () => {
    const { api, createKey } = await makeTenant(stack);
    const key = await createKey('wrapped');
    const ask = () => api.send('POST', `/v1/keys/${key}/decrypt`, { ciphertext: 'AAAA' });
    await expectOneTokenEach('400 invalid_ciphertext', ask);
    await fillBuckets();
    const rows = inWords(await eventsOfKey(api, key)).slice(1);
    expect(rows).toEqual(Array(CAPACITY).fill('decrypt invalid_ciphertext'));
  });

  test('each item of a batch uses a token, and an item for which no token is left is refused, not counted and not recorded', async () => {
    const { api, createKey } = await makeTenant(stack);
    const key = await createKey('wrapped', 'batch');
    await fillBuckets();
    expect(await sendBatches(api)).toEqual(HUNDRED_ITEMS);
    await holdRateLimit(stack, 60_000);
    expect((await lineOf(api, key)).ops).toBe(CAPACITY);
    expect(inWords(await eventsOfKey(api, key)).slice(1)).toEqual(Array(CAPACITY).fill('encrypt'));
  });

  test('a wrong secret uses a token of the API key and is refused with 429 when no token is left', async () => {
    const { api } = await makeTenant(stack);
    const guess = new Client(stack, withWrongSecret(api.token ?? ''));
    await expectOneTokenEach('401 unauthorized', () => sendAlone(guess, 'GET', '/v1/keys'));
  });

  test('a request with a malformed API key uses no token, even if the prefix is known', async () => {
    const { api } = await makeTenant(stack);
    const malformed = new Client(stack, api.token?.slice(0, -1));
    await expectNoToken('401 unauthorized', () => sendAlone(malformed, 'GET', '/v1/usage'), api);
  });

  test('an API key that is revoked or has an unknown prefix is refused with 401, however often it is sent', async () => {
    const { console, mint } = await makeTenant(stack);
    const { id, client } = await mint();
    await console.send('DELETE', `/v1/api-keys/${id}`);
    for (const one of [client, new Client(stack, `esk_${'b'.repeat(25)}a_${'A'.repeat(43)}`)]) {
      await fillBuckets();
      const outcomes = await burst(2 * CAPACITY, () => sendAlone(one, 'GET', '/v1/keys'));
      expect(outcomes).toEqual({ '401 unauthorized': 2 * CAPACITY });
    }
  });

  test('a request with an expired session uses no token of its user', async () => {
    const { console, subject } = await makeTenant(stack);
    const expired = await signIn(stack, subject, { expires_in: -60 });
    await expectNoToken('401 unauthorized', () => sendAlone(expired, 'GET', '/v1/usage'), console);
  });

  test('all sessions of a user share one token bucket, and other users and API keys have separate buckets', async () => {
    const [{ api, console, subject }, other] = [await makeTenant(stack), await makeTenant(stack)];
    const again = await signIn(stack, subject);
    // Each request reads a single key, because lists and reports have a separate limit.
    const absent = `/v1/keys/${randomUUID()}`;
    let turn = 0;
    await expectOneTokenEach('404 not_found', () => sendAlone(turn++ % 2 === 0 ? console : again, 'GET', absent));
    for (const client of [api, other.console]) {
      expect(await burst(CAPACITY, () => sendAlone(client, 'GET', absent))).toEqual({ '404 not_found': CAPACITY });
    }
  });

  test('a user without a tenant also has a token bucket', async () => {
    const newcomer = await signIn(stack, randomUUID());
    await expectOneTokenEach('403 no_tenant', () => sendAlone(newcomer, 'GET', '/v1/keys'));
  });

  test('every operation with a credential refuses an API key that has used up its requests', async () => {
    const { api } = await makeTenant(stack);
    await fillBuckets();
    await burst(CAPACITY, () => sendAlone(api, 'GET', '/v1/keys'));
    const outcomes = new Map<string, string>();
    for (const { call } of ROUTES.filter(({ credential }) => credential !== 'none')) {
      outcomes.set(call, outcome(await api.send(methodOf(call), fillPath(pathOf(call), randomUUID()))));
    }
    expect([...outcomes].filter(([, one]) => one !== LIMITED)).toEqual([]);
    expect(outcomes.size).toBeGreaterThan(60);
  });

  async function federated() {
    const issuer = workloadIssuerOf(portsOf(stack));
    const tenant = await makeTenant(stack);
    await tenant.createKey('wrapped', 'batch');
    const { id, client } = await tenant.mint({ federations: [{ issuer, claims: { sub: 'job' } }] });
    const as = async (sub: string) => new Client(stack, await workloadToken(stack, id, { sub }));
    const [job, stranger] = [await as('job'), await as('stranger')];
    // The service fetches the issuer's keys now. At most 100 of the requests that follow could wait for them.
    expect(outcome(await callBy(job)())).toBe('200');
    await fillBuckets();
    return { client, job, stranger };
  }

  const callBy = (client: Client) => () => sendAlone(client, 'GET', '/v1/caller');

  test('wrong secrets use up the rate limit of the token, not that of the workload, which has its own', async () => {
    const { client, job } = await federated();
    const wrong = new Client(stack, withWrongSecret(client.token ?? ''));
    expect(await burst(CAPACITY, callBy(wrong))).toEqual({ '401 unauthorized': CAPACITY });
    expect(outcome(await callBy(client)())).toBe(LIMITED);
    expect(await burst(CAPACITY + 1, callBy(job))).toEqual({ 200: CAPACITY, [LIMITED]: 1 });
  });

  test('a workload does not use up the rate limit of the token, and ID tokens that no federation matches use up none', async () => {
    const { client, job, stranger } = await federated();
    expect(await burst(2 * CAPACITY, callBy(stranger))).toEqual({ '401 unauthorized': 2 * CAPACITY });
    expect(await burst(CAPACITY + 1, callBy(job))).toEqual({ 200: CAPACITY, [LIMITED]: 1 });
    expect(outcome(await callBy(client)())).toBe('200');
    await fillBuckets();
    expect(await sendBatches(job)).toEqual(HUNDRED_ITEMS);
    expect(await burst(CAPACITY, callBy(client))).toEqual({ 200: CAPACITY });
  });

  test('the token of an API key without a token is refused before rate limit and secret check', async () => {
    const { console } = await makeTenant(stack);
    const id = text(await console.send('POST', '/v1/api-keys', { name: 'ci', without_token: true }), 'id');
    const guess = new Client(stack, `esk_${tokenPrefix(idSchema<ApiKeyId>().parse(id))}_${'A'.repeat(43)}`);
    await fillBuckets();
    expect(await burst(2 * CAPACITY, callBy(guess))).toEqual({ '401 unauthorized': 2 * CAPACITY });
  });

  test.each([
    ['health checks', 'GET', '/health', '200'],
    ['unknown paths', 'GET', '/v1/nothing', '404 not_found'],
    ['unknown methods', 'PUT', '/v1/keys', '405 method_not_allowed'],
  ])('%s use no token', async (_, method, path, passed) => {
    const { api } = await makeTenant(stack);
    await expectNoToken(passed, () => sendAlone(api, method, path), api);
  });
});
