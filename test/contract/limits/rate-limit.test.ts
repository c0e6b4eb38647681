import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { withWrongSecret } from '../../support/bad-credentials.ts';
import { type Answer, outcome } from '../../support/client.ts';
import { ownStack } from '../../support/own-stack.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { Client, makeTenant, signIn } from '../../support/tenant.ts';

/** This file has its own stack, because its bursts of requests would delay other tests on a shared stack. */
const stack = ownStack();
const CAPACITY = 100;
const PER_SECOND = 100;
/** Creating a tenant uses at most this number of tokens of its session's bucket, and of its API key's bucket. */
const USED_BY_SETUP = 10;
const LEFT = CAPACITY - USED_BY_SETUP;
/** Enough requests to use up the 100 tokens of a bucket and the 7 × 100 that are refilled in 7 seconds. */
const BURST = 800;

interface Burst {
  readonly answers: readonly Answer[];
  /** Maps each outcome, such as `429 rate_limited`, to the number of answers with it. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The most tokens that a bucket can grant between the first request and the last answer. */
  readonly most: number;
}

async function burst(length: number, request: () => Promise<Answer>): Promise<Burst> {
  const startedAt = performance.now();
  // The server may close an idle connection just as the client sends a request on the connection. The server has not
  // received such a request, so it is sent again.
  const isClosed = (error: unknown) => ['UND_ERR_SOCKET', 'ECONNRESET'].includes(Object(Object(error).cause).code);
  const answered = (): Promise<Answer> =>
    request().catch((error) => (isClosed(error) ? answered() : Promise.reject(error)));
  const answers = await Promise.all(Array.from({ length }, answered));
  const seconds = (performance.now() - startedAt) / 1000;
  const outcomes: Record<string, number> = {};
  for (const answer of answers) outcomes[outcome(answer)] = (outcomes[outcome(answer)] ?? 0) + 1;
  return { answers, outcomes, most: CAPACITY + PER_SECOND * seconds + 1 };
}

/**
 * Checks that at least `LEFT` requests and at most `most` requests had the outcome `passed`, and that all others got
 * 429.
 */
function expectLimited({ outcomes, most, answers }: Burst, passed: string): void {
  expect(Object.keys(outcomes).sort()).toEqual([passed, '429 rate_limited'].sort());
  expect(outcomes[passed]).toBeGreaterThanOrEqual(LEFT);
  expect(outcomes[passed]).toBeLessThanOrEqual(most);
  for (const answer of answers.filter(({ status }) => status === 429)) {
    expectRefusal(answer, '429 rate_limited');
    expect(answer.body).toMatchObject({ message: 'too many requests for this api key' });
    expect([...answer.headers.keys()].filter((name) => /retry-after|ratelimit/i.test(name))).toEqual([]);
  }
}

describe('the token bucket of an API key: 100 tokens, refilled with 100 per second', () => {
  test.each([
    ['a successful request', 'GET', '/v1/keys/{own}', '200'],
    ['a request for an unknown key', 'GET', `/v1/keys/${randomUUID()}`, '404 not_found'],
    ['a request that needs a session', 'GET', '/v1/me', '403 session_required'],
    ['a request with an invalid body', 'POST', '/v1/keys', '415 unsupported_media_type'],
  ])('%s uses one token of the API key', async (_, method, path, passed) => {
    const { api, createKey } = await makeTenant(stack);
    const target = path.replace('{own}', await createKey('wrapped'));
    expectLimited(await burst(BURST, () => api.sendOnce(method, target)), passed);
  });

  test('a request that the firewall refuses uses one token of the API key', async () => {
    const { console, mint } = await makeTenant(stack);
    const firewall = await console.sendOnce('POST', '/v1/firewalls', { name: 'f', allowed_ips: ['192.0.2.1'] });
    const { client } = await mint({ firewall_id: Object(firewall.body).id });
    expectLimited(await burst(BURST, () => client.sendOnce('GET', '/v1/keys')), '403 ip_not_allowed');
  });

  test('each API key has its own token bucket', async () => {
    const { api, mint } = await makeTenant(stack);
    const other = (await mint()).client;
    const absent = `/v1/keys/${randomUUID()}`;
    const [ofFirst, ofSecond] = await Promise.all([
      burst(BURST, () => api.sendOnce('GET', absent)),
      burst(LEFT, () => other.sendOnce('GET', absent)),
    ]);
    expectLimited(ofFirst, '404 not_found');
    expect(ofSecond.outcomes).toEqual({ '404 not_found': LEFT });
  });

  test('an empty token bucket of an API key is refilled', async () => {
    const { api } = await makeTenant(stack);
    await burst(BURST, () => api.sendOnce('GET', '/v1/keys'));
    await expect.poll(async () => outcome(await api.sendOnce('GET', '/v1/keys')), { timeout: 10_000 }).toBe('200');
  });
});

describe('invalid credentials', () => {
  test('a wrong secret uses a token of the API key and is refused with 429 when no token is left', async () => {
    const { api } = await makeTenant(stack);
    const guess = new Client(stack, withWrongSecret(api.token ?? ''));
    expectLimited(await burst(BURST, () => guess.sendOnce('GET', '/v1/keys')), '401 unauthorized');
  });

  test('a request with a malformed API key uses no token, even if the prefix is known', async () => {
    const { api } = await makeTenant(stack);
    const malformed = new Client(stack, api.token?.slice(0, -1));
    const [refused, answered] = await Promise.all([
      burst(BURST, () => malformed.sendOnce('GET', '/v1/usage')),
      burst(LEFT, () => api.sendOnce('GET', '/v1/usage')),
    ]);
    expect(refused.outcomes).toEqual({ '401 unauthorized': BURST });
    expect(answered.outcomes).toEqual({ 200: LEFT });
  });

  test('an API key with an unknown prefix is refused with 401, however often it is sent', async () => {
    const unknown = new Client(stack, `esk_${'b'.repeat(25)}a_${'A'.repeat(43)}`);
    expect((await burst(BURST, () => unknown.sendOnce('GET', '/v1/keys'))).outcomes).toEqual({
      '401 unauthorized': BURST,
    });
  });

  test('a revoked API key is refused with 401, however often it is sent', async () => {
    const { console, mint } = await makeTenant(stack);
    const { id, client } = await mint();
    await client.sendOnce('GET', '/v1/keys');
    await console.sendOnce('DELETE', `/v1/api-keys/${id}`);
    expect((await burst(BURST, () => client.sendOnce('GET', '/v1/keys'))).outcomes).toEqual({
      '401 unauthorized': BURST,
    });
  });

  test('a request with an expired session uses no token of its user', async () => {
    const { console, subject } = await makeTenant(stack);
    const expired = await signIn(stack, subject, { expires_in: -60 });
    const [refused, answered] = await Promise.all([
      burst(BURST, () => expired.sendOnce('GET', '/v1/usage')),
      burst(LEFT, () => console.sendOnce('GET', '/v1/usage')),
    ]);
    expect(refused.outcomes).toEqual({ '401 unauthorized': BURST });
    expect(answered.outcomes).toEqual({ 200: LEFT });
  });
});

describe('the token bucket of a signed-in user', () => {
  test('all sessions of a user share one token bucket, and other users and API keys have separate buckets', async () => {
    const [{ api, console, subject }, otherTenant] = await Promise.all([makeTenant(stack), makeTenant(stack)]);
    const again = await signIn(stack, subject);
    // Each request reads a single key, because lists and reports have a separate limit.
    const absent = `/v1/keys/${randomUUID()}`;
    let turn = 0;
    const [ofFirst, ofApiKey, ofOtherTenant] = await Promise.all([
      burst(BURST, () => (turn++ % 2 === 0 ? console : again).sendOnce('GET', absent)),
      burst(LEFT, () => api.sendOnce('GET', absent)),
      burst(LEFT, () => otherTenant.console.sendOnce('GET', absent)),
    ]);
    expectLimited(ofFirst, '404 not_found');
    expect(ofApiKey.outcomes).toEqual({ '404 not_found': LEFT });
    expect(ofOtherTenant.outcomes).toEqual({ '404 not_found': LEFT });
  });

  test('a user without a tenant also has a token bucket', async () => {
    const newcomer = await signIn(stack, randomUUID());
    expectLimited(await burst(BURST, () => newcomer.sendOnce('GET', '/v1/keys')), '403 no_tenant');
  });
});

test('health checks, unknown paths and unknown methods use no token', async () => {
  const { api } = await makeTenant(stack);
  const [health, unknownPaths, wrongMethods, answered] = await Promise.all([
    burst(BURST, () => api.sendOnce('GET', '/health')),
    burst(BURST, () => api.sendOnce('GET', '/v1/nothing')),
    burst(BURST, () => api.sendOnce('PUT', '/v1/keys')),
    burst(LEFT, () => api.sendOnce('GET', '/v1/usage')),
  ]);
  expect(health.outcomes).toEqual({ 200: BURST });
  expect(unknownPaths.outcomes).toEqual({ '404 not_found': BURST });
  expect(wrongMethods.outcomes).toEqual({ '405 method_not_allowed': BURST });
  expect(answered.outcomes).toEqual({ 200: LEFT });
});
