import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ofApiKey } from '../../../shared/auth/policy.ts';
import { makeId } from '../../../shared/base/ids.ts';
import type { ApiKeyCaller } from '../../../shared/tenancy/caller.ts';
import { withWrongSecret } from '../../support/bad-credentials.ts';
import { type Cases, type GoodRequest, goodRequests, readCases, sendGood } from '../../support/cases.ts';
import { list, outcome } from '../../support/client.ts';
import { patchDocument } from '../../support/firestore.ts';
import { openInProcess } from '../../support/in-process.ts';
import { apiKeyObject, read } from '../../support/objects.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { startSecondService } from '../../support/second-service.ts';
import { ALL_ACTIONS, Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});

const listField = async (client: Client, path = '/v1/keys', field = 'id') =>
  list(await client.send('GET', path)).map((line) => line[field]);

test('an API key can use a key on its list only for its allowed actions, and the key’s id can be in upper or lower case', async () => {
  const key = await tenant.createKey('wrapped');
  const { client } = await tenant.mint({ key_ids: [key.toUpperCase()], allowed_actions: ['encrypt'] });
  const encrypt = (id: string) => client.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AAAA' });
  expect(outcome(await encrypt(key))).toBe('200');
  expect(outcome(await encrypt(key.toUpperCase()))).toBe('200');
  expect(outcome(await client.send('POST', `/v1/keys/${key}/rotate`))).toBe('403 action_not_allowed');
  expect(outcome(await client.send('POST', `/v1/keys/${randomUUID()}/rotate`))).toBe('403 key_not_allowed');
});

test('after all keys on its list are destroyed, an API key still cannot use other keys, and its list keeps the ids', async () => {
  const [first, second] = [await tenant.createKey('wrapped'), await tenant.createKey('wrapped')];
  const other = await tenant.createKey('wrapped');
  const { client, id } = await tenant.mint({ key_ids: [first, second] });
  await client.send('POST', `/v1/keys/${first}/encrypt`, { plaintext: 'AAAA' });
  for (const key of [first, second]) await tenant.console.send('POST', `/v1/keys/${key}/destroy`);
  expect(outcome(await client.send('GET', `/v1/keys/${first}`))).toBe('404 not_found');
  expect(outcome(await client.send('GET', `/v1/keys/${other}`))).toBe('403 key_not_allowed');
  expect(outcome(await client.send('POST', '/v1/keys', { name: 'x', tier: 'wrapped' }))).toBe('403 key_not_allowed');
  expect(await listField(client)).toEqual([]);
  expect(await listField(client, '/v1/usage', 'key_id')).toEqual([first]);
  expect(outcome(await client.send('GET', `/v1/keys/${first}/audit`))).toBe('200');
  const renamed = await tenant.console.send('PATCH', `/v1/api-keys/${id}`, { name: 'renamed' });
  expect(renamed).toMatchObject({ status: 200, body: { name: 'renamed', key_ids: [first, second] } });
});

test('a key list has 1 to 100 keys, and duplicate ids are dropped, whatever their letter case, but count', async () => {
  const { mint, console, createKey } = await makeTenant(stack);
  const keys: string[] = [];
  for (let made = 0; made < 101; made++) keys.push(await createKey('wrapped'));
  const { id, client } = await mint();
  const setKeyIds = (key_ids: readonly string[]) => console.send('PATCH', `/v1/api-keys/${id}`, { key_ids });
  const [first = '', second = ''] = keys;
  for (const refused of [keys, [], Array(101).fill(first)]) {
    expect(outcome(await setKeyIds(refused))).toBe('400 invalid_key_ids');
  }
  const twice = await setKeyIds([first, second, first, first.toUpperCase()]);
  expect(twice).toMatchObject({ status: 200, body: { key_ids: [first, second] } });
  expect(outcome(await setKeyIds(Array(100).fill(first)))).toBe('200');
  expect(outcome(await setKeyIds(keys.slice(1)))).toBe('200');
  expect(await listField(client)).toEqual(keys.slice(1));
});

test('a key list can contain a key that is pending deletion', async () => {
  const key = await tenant.createKey('wrapped');
  await tenant.api.send('DELETE', `/v1/keys/${key}`);
  const { client } = await tenant.mint({ key_ids: [key] });
  expect(await listField(client)).toEqual([key]);
  expect(outcome(await client.send('POST', `/v1/keys/${key}/restore`))).toBe('200');
});

const LAG_MS = 60_000;
const measured = z.object({ ok: z.object({ trips: z.object({ commit: z.int() }) }) });

const lastUsed = async (id: string) =>
  read(apiKeyObject, await tenant.console.send('GET', `/v1/api-keys/${id}`)).last_used_at;

test('last_used_at is null before the first use of an API key and is set within a minute after that use', async () => {
  const before = Date.now();
  const { id, client } = await tenant.mint();
  expect(await lastUsed(id)).toBeNull();
  await client.send('GET', '/v1/keys');
  const used = Date.now();
  await expect.poll(() => lastUsed(id)).not.toBeNull();
  const at = Date.parse((await lastUsed(id)) ?? '');
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(used);
});

test('a use more than a minute after the last one is stored', async () => {
  const { id, client } = await tenant.mint();
  const before = new Date(Date.now() - LAG_MS).toISOString();
  await patchDocument(stack, `apiKeys/${id}`, 'last_used_at', { timestampValue: before });
  expect(Date.parse((await lastUsed(id)) ?? '')).toBe(Date.parse(before));
  await client.send('GET', '/v1/keys');
  await expect.poll(async () => Date.parse((await lastUsed(id)) ?? '')).toBeGreaterThan(Date.parse(before));
});

test('of 20 concurrent requests with one API key, not all write last_used_at', async () => {
  const { client } = await tenant.mint();
  const service = await startSecondService(stack);
  onTestFinished(() => void service.stop());
  const requests = Array.from({ length: 20 }, () => new Client(service, client.token).send('GET', '/v1/keys'));
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  const reply = once(service.child, 'message');
  service.child.send({ id: 1, measure: true });
  const [message] = await reply;
  // Some requests may read the API key before the first write, and then write too.
  expect(measured.parse(message).ok.trips.commit).toBeLessThan(20);
});

test('a request with a wrong secret does not set last_used_at', async () => {
  const { id, client } = await tenant.mint();
  const guessing = new Client(stack, withWrongSecret(client.token ?? ''));
  for (let time = 1; time <= 3; time++) {
    expectRefusal(await guessing.send('GET', '/v1/keys'), '401 unauthorized');
  }
  expect(await lastUsed(id)).toBeNull();
});

test('a change of an API key in the console does not set last_used_at', async () => {
  const { id } = await tenant.mint();
  await tenant.console.send('PATCH', `/v1/api-keys/${id}`, { name: 'renamed' });
  expect(await lastUsed(id)).toBeNull();
});

const aCaller = (allowedActions: ApiKeyCaller['allowedActions']): ApiKeyCaller => ({
  ...{ kind: 'api_key', tenantId: makeId(), containerId: makeId(), apiKeyId: makeId(), name: 'orders', allowedActions },
  ...{ keyIds: null, firewallId: null, expiresAt: null, workload: null },
});

test('each of 240 concurrent authorization decisions about different keys is correct', async () => {
  const { policy } = openInProcess(stack).services;
  const callers = [aCaller(['encrypt']), aCaller(['decrypt'])];
  // Decisions about 240 keys do not fit in one request to the policy decision point.
  const decisions = Array.from({ length: 240 }, (_, at) => {
    const caller = callers[at % 2] ?? aCaller([]);
    return policy.allows(ofApiKey(caller, { keyId: makeId(), tier: 'wrapped' }, at % 4 < 2 ? 'encrypt' : 'decrypt'));
  });
  const expected = decisions.map((_, at) => (at % 2 === 0) === at % 4 < 2);
  expect(await Promise.all(decisions)).toEqual(expected);
});

const ACTION_REFUSED = '403 action_not_allowed';
const FOR_API_KEYS = (await readCases()).filter(({ credential }) => ['api_key', 'either'].includes(credential));
let requests: Readonly<Record<string, GoodRequest>>;
beforeAll(async () => {
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
      expect(new Set(Object.values(await outcomesOf(client, isCalled)))).toEqual(new Set([ACTION_REFUSED]));
    }
  },
);

test('an action is enough for the operations that need it, from the next request after it is granted', async () => {
  const { id, client } = await tenant.mint({ allowed_actions: [] });
  for (const action of ALL_ACTIONS) {
    const isCalled = (cases: Cases) => cases.action === action && !cases.transit;
    expect(Object.values(await outcomesOf(client, isCalled))).toEqual([ACTION_REFUSED]);
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
