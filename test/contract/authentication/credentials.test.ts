import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { BAD_CREDENTIALS, badCredentials, stateOf } from '../../support/bad-credentials.ts';
import { type Answer, outcome } from '../../support/client.ts';
import { goodRequests } from '../../support/good-requests.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { refusalBy, TABLE } from '../../support/route-table.ts';
import { type GoodRequest, sendGood } from '../../support/send-good.ts';
import { makeTenant, signIn, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
let requests: Readonly<Record<string, GoodRequest>>;
let bad: Awaited<ReturnType<typeof badCredentials>>;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  requests = await goodRequests(tenant);
  bad = await badCredentials(tenant);
});

/** Checks the outcome of a call and, if the call was refused, that the answer has the service's error body. */
function expectOutcome(call: string, answer: Answer, expected: string): void {
  expect(`${call}: ${outcome(answer)}`).toBe(`${call}: ${expected}`);
  if (answer.status >= 400) expectRefusal(answer, expected);
}

describe.each(BAD_CREDENTIALS)('an invalid credential (%s)', (kind) => {
  test('an invalid credential gets 401 with a challenge from every route that needs a credential, and changes nothing', async () => {
    const before = await stateOf(tenant);
    for (const row of TABLE) {
      const answer = await sendGood(bad[kind], row.call, requests);
      const expected = row.credential === 'none' ? row.good : refusalBy(row, '401 unauthorized');
      expectOutcome(row.call, answer, expected);
      expect(answer.headers.get('www-authenticate')).toBe(answer.status === 401 ? 'Bearer' : null);
      if (answer.status === 401) expect(answer.body).toMatchObject({ message: 'missing or invalid credentials' });
    }
    expect(await stateOf(tenant)).toEqual(before);
  });
});

describe('an API key without actions', () => {
  test('an API key without actions gets 403 from routes that need an action or a session, and changes nothing', async () => {
    const { client } = await tenant.mint({ allowed_actions: [] });
    const { '/v1/audit?limit=1000': _, ...before } = await stateOf(tenant);
    for (const row of TABLE) {
      const ofConsole = ['console', 'newcomer'].includes(row.credential) ? '403 session_required' : row.good;
      const expected = row.action === undefined ? ofConsole : '403 action_not_allowed';
      const answer = await sendGood(client, row.call, requests);
      expectOutcome(row.call, answer, expected);
    }
    expect(await stateOf(tenant)).toMatchObject(before);
  });
});

describe('a session of a user without a tenant', () => {
  test('a user without a tenant gets 403 no_tenant until GET /v1/me creates a tenant', async () => {
    const newcomer = await signIn(stack, randomUUID());
    const before = await stateOf(tenant);
    for (const row of TABLE.filter(({ credential }) => credential !== 'newcomer')) {
      const answer = await sendGood(newcomer, row.call, requests);
      const expected = row.credential === 'none' ? row.good : '403 no_tenant';
      expectOutcome(row.call, answer, expected);
    }
    expect(await stateOf(tenant)).toEqual(before);
    expect((await newcomer.send('GET', '/v1/me')).status).toBe(200);
    expect((await newcomer.send('GET', '/v1/keys')).body).toEqual([]);
  });
});

describe.each([
  ['an API key', 'api', ['console', 'newcomer'], '403 session_required'],
  ['a session', 'console', ['api_key'], '403 api_key_required'],
] as const)('requests with %s', (name, as, refused: readonly string[], code) => {
  test(`routes that do not accept ${name} refuse the request and change nothing`, async () => {
    const before = await stateOf(tenant);
    for (const row of TABLE.filter(({ credential }) => refused.includes(credential))) {
      expectRefusal(await sendGood(tenant[as], row.call, requests), code);
    }
    expect(await stateOf(tenant)).toEqual(before);
  });

  test(`${name} can use every route that accepts ${name}`, async () => {
    const own = await goodRequests(tenant);
    const rows = TABLE.filter(({ credential }) => !refused.includes(credential));
    const found: Record<string, string> = {};
    for (const { call } of rows) found[call] = outcome(await sendGood(tenant[as], call, own));
    expect(found).toEqual(Object.fromEntries(rows.map(({ call, good }) => [call, good])));
  });
});
