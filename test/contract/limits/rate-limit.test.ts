import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { withWrongSecret } from '../../support/bad-credentials.ts';
import { type Answer, outcome } from '../../support/client.ts';
import { ownStack } from '../../support/own-stack.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { Client, makeTenant, signIn } from '../../support/tenant.ts';

/** Its own stack: the bursts would delay other tests. */
const stack = ownStack();
const CAPACITY = 100;
const PER_SECOND = 100;
/** What making a tenant may have taken from the buckets of its session and its API key. */
const SPENT = 10;
const LEFT = CAPACITY - SPENT;
/** Far more than a bucket holds, sent at once, empties it on any machine that answers them within six seconds or so. */
const BURST = 800;

interface Burst {
  readonly answers: readonly Answer[];
  /** How many of each outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The most tokens that a bucket can have given, from the first request sent to the last answer. */
  readonly most: number;
}

async function burst(length: number, request: () => Promise<Answer>): Promise<Burst> {
  const startedAt = performance.now();
  // A busy machine may send on a kept connection just as the server ends it for being idle: that was no request yet.
  const isClosed = (error: unknown) => ['UND_ERR_SOCKET', 'ECONNRESET'].includes(Object(Object(error).cause).code);
  const answered = (): Promise<Answer> =>
    request().catch((error) => (isClosed(error) ? answered() : Promise.reject(error)));
  const answers = await Promise.all(Array.from({ length }, answered));
  const seconds = (performance.now() - startedAt) / 1000;
  const outcomes: Record<string, number> = {};
  for (const answer of answers) outcomes[outcome(answer)] = (outcomes[outcome(answer)] ?? 0) + 1;
  return { answers, outcomes, most: CAPACITY + PER_SECOND * seconds + 1 };
}

/** Checks that a bucket gave what it holds, no more than it can have regained, and 429 beyond that. */
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

describe('an API key has 100 tokens and regains 100 a second', () => {
  test.each([
    ['a request that is answered', 'GET', '/v1/keys/{own}', '200'],
    ['a request for what is not there', 'GET', `/v1/keys/${randomUUID()}`, '404 not_found'],
    ['a request for another credential', 'GET', '/v1/me', '403 session_required'],
    ['a request with a bad body', 'POST', '/v1/keys', '415 unsupported_media_type'],
  ])('%s takes one', async (_, method, path, passed) => {
    const { api, createKey } = await makeTenant(stack);
    const target = path.replace('{own}', await createKey('wrapped'));
    expectLimited(await burst(BURST, () => api.sendOnce(method, target)), passed);
  });

  test('outside its firewall it takes them as well', async () => {
    const { console, mint } = await makeTenant(stack);
    const firewall = await console.sendOnce('POST', '/v1/firewalls', { name: 'f', allowed_ips: ['192.0.2.1'] });
    const { client } = await mint({ firewall_id: Object(firewall.body).id });
    expectLimited(await burst(BURST, () => client.sendOnce('GET', '/v1/keys')), '403 ip_not_allowed');
  });

  test('each API key has its own', async () => {
    const { api, mint } = await makeTenant(stack);
    const other = (await mint()).client;
    const absent = `/v1/keys/${randomUUID()}`;
    const [mine, yours] = await Promise.all([
      burst(BURST, () => api.sendOnce('GET', absent)),
      burst(LEFT, () => other.sendOnce('GET', absent)),
    ]);
    expectLimited(mine, '404 not_found');
    expect(yours.outcomes).toEqual({ '404 not_found': LEFT });
  });

  test('once emptied it is refilled', async () => {
    const { api } = await makeTenant(stack);
    await burst(BURST, () => api.sendOnce('GET', '/v1/keys'));
    await expect.poll(async () => outcome(await api.sendOnce('GET', '/v1/keys')), { timeout: 10_000 }).toBe('200');
  });
});

describe('credentials that prove nothing', () => {
  test('a wrong secret takes a token, and is 429 when none is left', async () => {
    const { api } = await makeTenant(stack);
    const guess = new Client(stack, withWrongSecret(api.token ?? ''));
    expectLimited(await burst(BURST, () => guess.sendOnce('GET', '/v1/keys')), '401 unauthorized');
  });

  test('a malformed token takes none, even with a prefix that is known', async () => {
    const { api } = await makeTenant(stack);
    const malformed = new Client(stack, api.token?.slice(0, -1));
    const [refused, answered] = await Promise.all([
      burst(BURST, () => malformed.sendOnce('GET', '/v1/usage')),
      burst(LEFT, () => api.sendOnce('GET', '/v1/usage')),
    ]);
    expect(refused.outcomes).toEqual({ '401 unauthorized': BURST });
    expect(answered.outcomes).toEqual({ 200: LEFT });
  });

  test('an unknown prefix takes none: it is 401 however often it comes', async () => {
    const unknown = new Client(stack, `esk_${'b'.repeat(25)}a_${'A'.repeat(43)}`);
    expect((await burst(BURST, () => unknown.sendOnce('GET', '/v1/keys'))).outcomes).toEqual({
      '401 unauthorized': BURST,
    });
  });

  test('a revoked one takes none: it is 401 however often it comes', async () => {
    const { console, mint } = await makeTenant(stack);
    const { id, client } = await mint();
    await client.sendOnce('GET', '/v1/keys');
    await console.sendOnce('DELETE', `/v1/api-keys/${id}`);
    expect((await burst(BURST, () => client.sendOnce('GET', '/v1/keys'))).outcomes).toEqual({
      '401 unauthorized': BURST,
    });
  });

  test('an expired session takes none', async () => {
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

describe('a signed-in user has a bucket of the same size', () => {
  test('shared by all their sessions, apart from everybody else’s and from the API keys’', async () => {
    const [{ api, console, subject }, stranger] = await Promise.all([makeTenant(stack), makeTenant(stack)]);
    const again = await signIn(stack, subject);
    // One read each: lists and reports have their own limit.
    const absent = `/v1/keys/${randomUUID()}`;
    let turn = 0;
    const [mine, ofApiKey, ofStranger] = await Promise.all([
      burst(BURST, () => (turn++ % 2 === 0 ? console : again).sendOnce('GET', absent)),
      burst(LEFT, () => api.sendOnce('GET', absent)),
      burst(LEFT, () => stranger.console.sendOnce('GET', absent)),
    ]);
    expectLimited(mine, '404 not_found');
    expect(ofApiKey.outcomes).toEqual({ '404 not_found': LEFT });
    expect(ofStranger.outcomes).toEqual({ '404 not_found': LEFT });
  });

  test('also before there is a tenant', async () => {
    const newcomer = await signIn(stack, randomUUID());
    expectLimited(await burst(BURST, () => newcomer.sendOnce('GET', '/v1/keys')), '403 no_tenant');
  });
});

test('the health checks and what is not a route take no token', async () => {
  const { api } = await makeTenant(stack);
  const [health, strays, wrong, answered] = await Promise.all([
    burst(BURST, () => api.sendOnce('GET', '/health')),
    burst(BURST, () => api.sendOnce('GET', '/v1/nothing')),
    burst(BURST, () => api.sendOnce('PUT', '/v1/keys')),
    burst(LEFT, () => api.sendOnce('GET', '/v1/usage')),
  ]);
  expect(health.outcomes).toEqual({ 200: BURST });
  expect(strays.outcomes).toEqual({ '404 not_found': BURST });
  expect(wrong.outcomes).toEqual({ '405 method_not_allowed': BURST });
  expect(answered.outcomes).toEqual({ 200: LEFT });
});
