import { beforeAll, expect, inject, test } from 'vitest';
import { type Cases, type GoodRequest, goodRequests, readCases, sendGood } from '../../support/cases.ts';
import { outcome } from '../../support/client.ts';
import { ALL_ACTIONS, type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const REFUSED = '403 action_not_allowed';
const FOR_API_KEYS = (await readCases()).filter(({ credential }) => ['api_key', 'either'].includes(credential));
let tenant: Tenant;
let requests: Readonly<Record<string, GoodRequest>>;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  requests = await goodRequests(tenant);
});

/** Calls each operation that accepts API keys, except those that `isCalled` excludes. */
async function outcomesOf(client: Client, isCalled: (cases: Cases) => boolean): Promise<Record<string, string>> {
  const called = FOR_API_KEYS.filter(isCalled);
  const outcomes = called.map(async ({ call }) => [call, outcome(await sendGood(client, call, requests))] as const);
  return Object.fromEntries(await Promise.all(outcomes));
}

test('every action is needed by an operation', () => {
  expect(new Set(FOR_API_KEYS.flatMap(({ action }) => action ?? []))).toEqual(new Set(ALL_ACTIONS));
});

test.each(ALL_ACTIONS)(
  'an API key with every action except %s is refused only where this action is needed, and one with only this action everywhere else',
  async (action) => {
    const { client: without } = await tenant.mint({ allowed_actions: ALL_ACTIONS.filter((other) => other !== action) });
    const { client: withOnly } = await tenant.mint({ allowed_actions: [action] });
    const needsIt = (cases: Cases) => cases.action === action;
    const needsOther = (cases: Cases) => cases.action !== undefined && cases.action !== action;
    for (const [client, isCalled] of [
      [without, needsIt],
      [withOnly, needsOther],
    ] as const) {
      expect(new Set(Object.values(await outcomesOf(client, isCalled)))).toEqual(new Set([REFUSED]));
    }
  },
);

test('an action is enough for the operations that need it, from the next request after it is granted', async () => {
  const { id, client } = await tenant.mint({ allowed_actions: [] });
  for (const action of ALL_ACTIONS) {
    const isCalled = (cases: Cases) => cases.action === action && !cases.transit;
    expect(Object.values(await outcomesOf(client, isCalled))).toEqual([REFUSED]);
    await tenant.console.send('PATCH', `/v1/api-keys/${id}`, { allowed_actions: [action] });
    expect(Object.values(await outcomesOf(client, isCalled))).toEqual([action === 'create' ? '201' : '200']);
  }
});

test('an API key without actions can call every operation that needs none', async () => {
  const { client } = await tenant.mint({ allowed_actions: [] });
  const free = FOR_API_KEYS.filter(({ action }) => action === undefined);
  const expected = Object.fromEntries(free.map(({ call, good }) => [call, good]));
  expect(await outcomesOf(client, ({ action }) => action === undefined)).toEqual(expected);
});
