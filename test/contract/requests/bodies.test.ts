import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { allConfigured } from '../../../emulators/stack/service-environment.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { badCredentials } from '../../support/bad-credentials.ts';
import { setSubscription } from '../../support/billing.ts';
import { type Addresses, type Answer, outcome, send, text } from '../../support/client.ts';
import { openInProcess, servePatiently } from '../../support/in-process.ts';
import { operate } from '../../support/operations.ts';
import { postChunked, type SlowRequest, sendHalf } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { HOUR_MS } from '../../support/steer.ts';
import { Client, makeFirewall, makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { workloadToken } from '../../support/workloads.ts';

const stack = inject('stack');
const BODY = JSON.stringify({ plaintext: 'aGVsbG8=' });
/** After this time, the service has checked the credential of a request whose body is still incomplete. */
const SLOW_MS = 200;

const { services, setClock } = openInProcess(stack, allConfigured(stack));

let tenant: Tenant;
/** The service in the test's process, which waits for a body for as long as a change takes. */
let patient: Awaited<ReturnType<typeof servePatiently>>;
/** Requests whose bodies stay incomplete. They start early, because the service waits five seconds for a body. */
let unfinished: { readonly keyId: string; readonly slow: SlowRequest; readonly forbidden: SlowRequest };
beforeAll(async () => {
  tenant = await makeTenant(stack);
  const keyId = await tenant.createKey('wrapped');
  const actionless = (await tenant.mint({ allowed_actions: [] })).client;
  unfinished = { keyId, slow: encrypting(keyId, tenant.api, stack), forbidden: encrypting(keyId, actionless, stack) };
  patient = await servePatiently(services, stack);
});
afterAll(() => patient[Symbol.asyncDispose]());

const encrypting = (keyId: string, { token }: Client, at: Addresses = patient): SlowRequest =>
  sendHalf(at, 'POST', `/v1/keys/${keyId}/encrypt`, { token, body: BODY });

/** Makes a change while the body of a request is incomplete, then finishes the body. Returns the answer. */
async function finishAfter(slow: SlowRequest, change: () => Promise<unknown>): Promise<Answer> {
  await pause(SLOW_MS);
  await change();
  slow.finish();
  return slow.answer;
}

const patch = (id: string, change: object) => tenant.console.send('PATCH', `/v1/api-keys/${id}`, change);

test.concurrent.for<[string, string, (apiKeyId: string, keyId: string) => Promise<unknown>]>([
  ['API key is revoked', '401 unauthorized', (id) => tenant.console.send('DELETE', `/v1/api-keys/${id}`)],
  ['API key is denied the action', '403 action_not_allowed', (id) => patch(id, { allowed_actions: ['decrypt'] })],
  [
    'API key is limited to other keys',
    '403 key_not_allowed',
    async (id) => patch(id, { key_ids: [await tenant.createKey('wrapped')] }),
  ],
  ['key is frozen', '409 key_frozen', (_, keyId) => tenant.console.send('POST', `/v1/keys/${keyId}/freeze`)],
  ['key is deleted', '409 key_pending_deletion', (_, keyId) => tenant.api.send('DELETE', `/v1/keys/${keyId}`)],
])('a request whose %s before the body ends gets %s', async ([, refusal, change]) => {
  const keyId = await tenant.createKey('wrapped');
  const { id, client } = await tenant.mint();
  expectRefusal(await finishAfter(encrypting(keyId, client), () => change(id, keyId)), refusal);
});

test.concurrent('a request is refused with 403 if the API key’s firewall changes to exclude the client before the body ends', async () => {
  const keyId = await tenant.createKey('wrapped');
  const firewall_id = await makeFirewall(tenant, { allowed_ips: ['127.0.0.1'] });
  const { client } = await tenant.mint({ firewall_id });
  const close = () => tenant.console.send('PATCH', `/v1/firewalls/${firewall_id}`, { allowed_ips: ['192.0.2.1'] });
  expectRefusal(await finishAfter(encrypting(keyId, client), close), '403 ip_not_allowed');
});

/** Makes an API key for a workload. Returns its id, and a client with an ID token. */
async function makeJob() {
  const { id } = await tenant.mint({
    federations: [{ issuer: workloadIssuerOf(portsOf(stack)), claims: { sub: 'job' } }],
  });
  return { id, job: new Client(stack, await workloadToken(stack, id, { sub: 'job' })) };
}

test.concurrent('a workload whose federation is removed before the body ends is refused with 401', async () => {
  const keyId = await tenant.createKey('wrapped');
  const { id, job } = await makeJob();
  expect(outcome(await job.send('GET', '/v1/caller'))).toBe('200');
  expectRefusal(await finishAfter(encrypting(keyId, job), () => patch(id, { federations: [] })), '401 unauthorized');
});

test.concurrent.for(['wrapped', 'software'] as const)(
  'an encryption with a %s key that is rotated before the body ends succeeds and is recorded once',
  async (tier) => {
    const { api, createKey } = tenant;
    const keyId = await createKey(tier);
    const answer = await finishAfter(encrypting(keyId, api), () => api.send('POST', `/v1/keys/${keyId}/rotate`));
    expect(outcome(answer)).toBe('200');
    const opened = await operate(api, keyId, 'decrypt', { ciphertext: text(answer, 'ciphertext') });
    expect(opened.body).toEqual({ plaintext: 'aGVsbG8=' });
    expect(inWords(await eventsOfKey(api, keyId))).toEqual(['create_key', 'rotate_key', 'encrypt', 'decrypt']);
  },
);

test.concurrent('an encryption is refused with 402 if billing lapses before the body ends', async () => {
  const lapsing = await makeTenant(stack);
  const keyId = await lapsing.createKey('wrapped');
  const lapse = () => setSubscription(stack, lapsing.id, 'unpaid');
  expectRefusal(await finishAfter(encrypting(keyId, lapsing.api), lapse), '402 billing_required');
});

test('an API key, an ID token or an access token that expires before the body ends is refused with 401', async () => {
  const keyId = await tenant.createKey('wrapped');
  const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
  const { client } = await tenant.mint({ expires_at: inHours(1) });
  const { job } = await makeJob();
  const { token } = await signIn(stack, tenant.subject);
  const body = JSON.stringify({ name: randomUUID() });
  const slow = [
    ...[client, job].map((by) => encrypting(keyId, by)),
    sendHalf(patient, 'POST', '/v1/containers', { token, body }),
  ];
  await pause(SLOW_MS);
  setClock(inHours(2));
  for (const one of slow) one.finish();
  for (const { answer } of slow) expectRefusal(await answer, '401 unauthorized');
});

test('an invalid credential is refused with 401 before the body arrives', async () => {
  const keyId = await tenant.createKey('wrapped');
  for (const [cause, client] of Object.entries(await badCredentials(tenant))) {
    const paths = [`/v1/keys/${keyId}/encrypt`, '/v1/keys', '/v1/api-keys'];
    const slow = paths.map((path) => sendHalf(stack, 'POST', path, { token: client.token, body: BODY }));
    for (const { answer, abandon } of slow) {
      expect(outcome(await answer), cause).toBe('401 unauthorized');
      abandon();
    }
  }
});

test('a request from outside the API key’s firewall or with the wrong kind of credential is refused with 403 before the body arrives', async () => {
  const outside = (await tenant.mint({ firewall_id: await makeFirewall(tenant) })).client;
  const slow = [
    sendHalf(stack, 'POST', '/v1/keys', { token: outside.token, body: BODY }),
    sendHalf(stack, 'POST', '/v1/api-keys', { token: tenant.api.token, body: BODY }),
  ];
  const answers = await Promise.all(slow.map(({ answer }) => answer));
  expect(answers.map(outcome)).toEqual(['403 ip_not_allowed', '403 session_required']);
  for (const { abandon } of slow) abandon();
});

test('a body that takes over five seconds gets 400 if all earlier checks succeed, and the connection is closed', async () => {
  const { keyId, slow, forbidden } = unfinished;
  const answer = await slow.answer;
  expectRefusal(answer, '400 invalid_request');
  expect(text(answer, 'message')).toBe('invalid request body: it did not arrive in time');
  expect(answer.headers.get('connection')).toBe('close');
  await slow.closed;
  expectRefusal(await forbidden.answer, '403 action_not_allowed');
  forbidden.abandon();
  const row = 'encrypt invalid_request';
  await expect.poll(async () => inWords(await eventsOfKey(tenant.api, keyId))).toContain(row);
});

test('a body may have at most 131,072 bytes, including white space, with a content length or in chunks', async () => {
  const path = `/v1/keys/${await tenant.createKey('wrapped')}/encrypt`;
  for (const [bytes, status] of [
    [131_072, 200],
    [131_073, 413],
  ] as const) {
    const raw = BODY.padEnd(bytes);
    const headers = { 'content-type': 'application/json' };
    const whole = await send('POST', `${stack.baseUrl}${path}`, { token: tenant.api.token, raw, headers });
    expect([whole.status, await postChunked(tenant.api, path, raw, 16_384)]).toEqual([status, status]);
  }
});
