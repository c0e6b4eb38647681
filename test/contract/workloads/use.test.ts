import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { CONSOLE_AUDIENCE } from '../../../emulators/stack/service-environment.ts';
import { makeInstant, SECOND_US, viewInstant } from '../../../shared/base/clock.ts';
import { control, list, outcome, text } from '../../support/client.ts';
import { setCount } from '../../support/counts.ts';
import { apiKeyObject, eventObject, newApiKeyObject, read } from '../../support/objects.ts';
import { type SecondService, signInSettings } from '../../support/second-service.ts';
import { Client, makeFirewall, makeTenant, type Tenant } from '../../support/tenant.ts';
import { dataOf, transit } from '../../support/transit.ts';
import { startWithIssuers, workloadToken } from '../../support/workloads.ts';

const stack = inject('stack');
const issuer = workloadIssuerOf(portsOf(stack));
const FEDERATIONS = [{ issuer, claims: { sub: 'job' } }];
const { IDENTITY_ISSUER } = signInSettings(stack);
const VALUE = { plaintext: 'SGVsbG8=' };
let tenant: Tenant;
let keyId: string;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  keyId = await tenant.createKey('wrapped', 'orders');
});

/** Makes an API key for the workload, and returns clients with its token and with an ID token. */
async function federated(options: object = {}) {
  const { id, client } = await tenant.mint({ federations: FEDERATIONS, ...options });
  return { id, client, job: new Client(stack, await workloadToken(stack, id, { sub: 'job' })) };
}

test('a workload encrypts and decrypts with the rights of the API key', async () => {
  const { job, id } = await federated({ allowed_actions: ['encrypt', 'decrypt'] });
  const sealed = await job.send('POST', `/v1/keys/${keyId}/encrypt`, VALUE);
  const { ciphertext } = Object(sealed.body);
  expect((await job.send('POST', `/v1/keys/${keyId}/decrypt`, { ciphertext })).body).toEqual(VALUE);
  expect(outcome(await job.send('POST', `/v1/keys/${keyId}/rotate`))).toBe('403 action_not_allowed');
  expect((await job.send('GET', '/v1/caller')).body).toMatchObject({
    ...{ kind: 'api_key', id, allowed_actions: ['encrypt', 'decrypt'] },
    workload: { issuer, subject: 'job' },
  });
});

test('the key list and the firewall of the API key hold for the workload', async () => {
  const other = await tenant.createKey('wrapped');
  const { job } = await federated({ key_ids: [other] });
  expect(outcome(await job.send('GET', `/v1/keys/${keyId}`))).toBe('403 key_not_allowed');
  const { job: outside } = await federated({ firewall_id: await makeFirewall(tenant) });
  expect(outcome(await outside.send('GET', '/v1/caller'))).toBe('403 ip_not_allowed');
});

test('a route of the console refuses a workload', async () => {
  const { job } = await federated();
  expect(outcome(await job.send('GET', '/v1/me'))).toBe('403 session_required');
  expect(outcome(await job.send('GET', '/v1/api-keys'))).toBe('403 session_required');
});

test('each event names the workload, and events of others have null', async () => {
  const { job, client, id } = await federated();
  await job.send('POST', `/v1/keys/${keyId}/encrypt`, VALUE);
  expect(outcome(await client.send('POST', `/v1/keys/${keyId}/encrypt`, VALUE))).toBe('200');
  const answer = await tenant.console.send('GET', `/v1/audit?api_key_id=${id}`);
  const events = list(answer).map((event) => read(eventObject, { ...answer, body: event }));
  expect(events.map(({ workload }) => workload)).toEqual([null, { issuer, subject: 'job' }]);
});

test('a subject is cut after 1,024 characters, and null if it is no text', async () => {
  const repository = [{ issuer, claims: { repository_id: '1' } }];
  const { id } = await tenant.mint({ federations: repository });
  const subjectOf = async (sub: unknown) => {
    const job = new Client(stack, await workloadToken(stack, id, { repository_id: '1', sub }));
    const { workload } = Object((await job.send('GET', '/v1/caller')).body);
    return workload.subject;
  };
  expect(await subjectOf('😀'.repeat(1_025))).toBe('😀'.repeat(1_024));
  expect(await subjectOf(7)).toBeNull();
});

test('without a token, only the workload can use the API key', async () => {
  const body = { name: 'ci', federations: FEDERATIONS, without_token: true };
  const id = text(await tenant.console.send('POST', '/v1/api-keys', body), 'id');
  const job = new Client(stack, await workloadToken(stack, id, { sub: 'job' }));
  expect(outcome(await job.send('GET', '/v1/caller'))).toBe('200');
});

test('a removed federation and a revocation apply from the next request', async () => {
  const { job, id } = await federated();
  const path = `/v1/api-keys/${id}`;
  expect(outcome(await job.send('GET', '/v1/caller'))).toBe('200');
  await tenant.console.send('PATCH', path, { federations: [{ issuer, claims: { sub: 'other' } }] });
  expect(outcome(await job.send('GET', '/v1/caller'))).toBe('401 unauthorized');
  await tenant.console.send('PATCH', path, { federations: FEDERATIONS });
  expect(outcome(await job.send('GET', '/v1/caller'))).toBe('200');
  await tenant.console.send('DELETE', path);
  expect(outcome(await job.send('GET', '/v1/caller'))).toBe('401 unauthorized');
});

test('a workload presents its ID token as X-Vault-Token', async () => {
  const { job } = await federated();
  const sealed = await transit(job, 'POST /encrypt/orders', VALUE);
  expect(dataOf(await transit(job, 'POST /decrypt/orders', dataOf(sealed)))).toEqual(VALUE);
});

test('lookup-self and renew-self tell when the ID token or the API key expires, whichever is sooner', async () => {
  const { job, id, client } = await federated();
  const lookUp = async (by: Client) => dataOf(await transit(by, 'GET /auth/token/lookup-self'));
  const renew = async (by: Client) => Object((await transit(by, 'POST /auth/token/renew-self', {})).body).auth;
  expect(await lookUp(client)).toMatchObject({ id: client.token, ttl: 0, expire_time: null, renewable: false });
  expect(await renew(client)).toMatchObject({ lease_duration: 0, renewable: false });
  const byToken = await lookUp(job);
  const { exp = 0 } = decodeJwt(job.token ?? '');
  expect(byToken).toMatchObject({ id: job.token, expire_time: viewInstant(makeInstant(exp * SECOND_US)) });
  expect(byToken.ttl).toBeGreaterThan(300);
  expect(byToken.ttl).toBeLessThanOrEqual(600);
  const expires_at = `${new Date(Date.now() + 300_000).toISOString().slice(0, 23)}456Z`;
  await tenant.console.send('PATCH', `/v1/api-keys/${id}`, { expires_at });
  for (const by of [job, client]) {
    const { ttl, expire_time } = await lookUp(by);
    expect(expire_time).toBe(expires_at);
    expect(ttl).toBeGreaterThan(200);
    expect(ttl).toBeLessThanOrEqual(300);
    const renewed = await renew(by);
    expect(renewed).toMatchObject({ renewable: false, client_token: by.token });
    expect(renewed.lease_duration).toBeGreaterThan(200);
    expect(renewed.lease_duration).toBeLessThanOrEqual(300);
  }
});

/** The ID of an API key of a service whose identity provider is a workload issuer too. */
let besideConsole: { service: SecondService; id: string };
beforeAll(async () => {
  const issuers = [{ issuer: IDENTITY_ISSUER, claims: ['sub'] }];
  const service = await startWithIssuers(stack, issuers, signInSettings(stack));
  const federations = [{ issuer: IDENTITY_ISSUER, claims: { sub: 'job' } }];
  const console = new Client(service, tenant.console.token);
  besideConsole = { service, id: text(await console.send('POST', '/v1/api-keys', { name: 'ci', federations }), 'id') };
});
afterAll(() => besideConsole.service.stop());

const token = async (request: object) => text(await control(stack, 'POST', '/tokens', request), 'access_token');
const call = async (token: string) => (await new Client(besideConsole.service, token).send('GET', '/v1/caller')).body;

test('a token of the identity provider whose audience is an API key is a workload’s', async () => {
  const { id } = besideConsole;
  const job = await token({ sub: 'job', audience: `urn:uuid:${id}` });
  expect(await call(job)).toMatchObject({ kind: 'api_key', id, workload: { issuer: IDENTITY_ISSUER, subject: 'job' } });
});

test('a token of the identity provider with the audience of the console is a person’s', async () => {
  const person = await token({ sub: tenant.subject, audience: CONSOLE_AUDIENCE });
  expect(await call(person)).toMatchObject({ kind: 'session', workload: null });
});

test('a token of another workload issuer is never tried as a person’s', async () => {
  const foreign = await workloadToken(stack, besideConsole.id, { sub: tenant.subject });
  expect(outcome(await new Client(besideConsole.service, foreign).send('GET', '/v1/me'))).toBe('401 unauthorized');
  const asConsole = await control(stack, 'POST', '/workload-tokens', {
    audience: CONSOLE_AUDIENCE,
    claims: { sub: tenant.subject },
  });
  expect(outcome(await tenant.console.send('GET', '/v1/me'))).toBe('200');
  const onStack = new Client(stack, text(asConsole, 'token'));
  expect(outcome(await onStack.send('GET', '/v1/me'))).toBe('401 unauthorized');
});

const CI = { issuer, claims: { sub: 'ci', ref: 'refs/heads/main', count: 3, main: true } };
const DEPLOY = { issuer, claims: { repository_id: '1' } };
const create = (body: object) => tenant.console.send('POST', '/v1/api-keys', { name: 'ci', ...body });
const recorded = async () => (await tenant.console.send('GET', '/v1/audit?limit=1')).body;

async function made(body: object) {
  const apiKey = read(newApiKeyObject, await create(body));
  const change = (body: unknown) => tenant.console.send('PATCH', `/v1/api-keys/${apiKey.id}`, body);
  return { ...apiKey, change };
}

test('the federations of an API key are shown as they were given', async () => {
  const { id, federations } = await made({ federations: [CI, DEPLOY] });
  expect(federations).toEqual([CI, DEPLOY]);
  const path = `/v1/api-keys/${id}`;
  expect(read(apiKeyObject, await tenant.console.send('GET', path)).federations).toEqual([CI, DEPLOY]);
});

test('PATCH replaces the federations, and an empty list removes them', async () => {
  const { change } = await made({ federations: [CI] });
  expect(read(apiKeyObject, await change({ federations: [DEPLOY] })).federations).toEqual([DEPLOY]);
  expect(read(apiKeyObject, await change({ name: 'renamed' })).federations).toEqual([DEPLOY]);
  expect(read(apiKeyObject, await change({ federations: [] })).federations).toEqual([]);
});

test('the same federations in another order change nothing and are not recorded', async () => {
  const { change } = await made({ federations: [CI, DEPLOY] });
  const before = await recorded();
  const { claims } = CI;
  const turned = { issuer, claims: Object.fromEntries(Object.entries(claims).reverse()) };
  expect(read(apiKeyObject, await change({ federations: [DEPLOY, turned] })).federations).toEqual([CI, DEPLOY]);
  expect(await recorded()).toEqual(before);
});

test('null as federations means none in a creation, and is refused in a change', async () => {
  const { federations, change } = await made({ federations: null });
  expect(federations).toEqual([]);
  expect(outcome(await change({ federations: null }))).toBe('400 invalid_federations');
});

const claims = (claims: unknown) => [{ issuer, claims }];
const long = (length: number) => 'é'.repeat(length);
const some = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, 1]));

test.each<[string, unknown, string]>([
  ['the longest names and values', claims({ sub: long(1_024), [long(128)]: '😀'.repeat(1_024) }), '2'],
  ['the largest integers', claims({ sub: Number.MAX_SAFE_INTEGER, x: Number.MIN_SAFE_INTEGER }), '2'],
  [
    'five federations of ten claims',
    Array.from({ length: 5 }, (_, n) => ({ issuer, claims: { sub: `${n}`, ...some(9) } })),
    '2',
  ],
  ['a claim with the name __proto__', JSON.parse(`[{"issuer":"${issuer}","claims":{"sub":"a","__proto__":"b"}}]`), '2'],
  ['a claim with a name of underscores', claims({ sub: 'a', __name__: 'b' }), '2'],
  [
    'claims that differ only in type',
    [
      { issuer, claims: { sub: 1 } },
      { issuer, claims: { sub: '1' } },
    ],
    '2',
  ],
  ['six federations', Array.from({ length: 6 }, (_, n) => ({ issuer, claims: { sub: `${n}` } })), '4'],
  ['an issuer that the deployment lacks', [{ issuer: 'https://a.example', claims: { sub: 'a' } }], '4'],
  ['an issuer with a slash at the end', [{ issuer: `${issuer}/`, claims: { sub: 'a' } }], '4'],
  ['no issuer', [{ claims: { sub: 'a' } }], '4'],
  ['another member', [{ issuer, claims: { sub: 'a' }, audience: 'a' }], '4'],
  ['no claims', [{ issuer }], '4'],
  ['empty claims', claims({}), '4'],
  ['claims in a list', claims([['sub', 'a']]), '4'],
  ['claims that are null', claims(null), '4'],
  ['eleven claims', claims({ sub: 'a', ...some(10) }), '4'],
  ['none of the required claims', claims({ ref: 'refs/heads/main' }), '4'],
  ['a claim with an empty name', claims({ sub: 'a', '': 'b' }), '4'],
  ['a claim with a name of 129 characters', claims({ sub: 'a', [long(129)]: 'b' }), '4'],
  ['an empty value', claims({ sub: '' }), '4'],
  ['a value of 1,025 characters', claims({ sub: long(1_025) }), '4'],
  ['a fraction', claims({ sub: 'a', x: 1.5 }), '4'],
  ['an integer that is not safe', claims({ sub: 'a', x: 2 ** 53 }), '4'],
  ['a value that is null', claims({ sub: null }), '4'],
  ['a value in a list', claims({ sub: ['a'] }), '4'],
  ['malformed Unicode', claims({ sub: '\ud800' }), '4'],
  ['malformed Unicode in a name', claims({ sub: 'a', '\udc00': 'b' }), '4'],
  ['the claim iss', claims({ sub: 'a', iss: 'b' }), '4'],
  ['the claim aud', claims({ sub: 'a', aud: 'b' }), '4'],
  ['the claim exp', claims({ sub: 'a', exp: 1 }), '4'],
  ['the claim nbf', claims({ sub: 'a', nbf: 1 }), '4'],
  ['the claim iat', claims({ sub: 'a', iat: 1 }), '4'],
  ['the claim jti', claims({ sub: 'a', jti: 'b' }), '4'],
  ['a federation twice', [CI, CI], '4'],
  ['a federation that is null', [null], '4'],
  ['a federation that is text', ['a'], '4'],
])('federations with %s are accepted (2) or refused (4)', async (_name, federations, expected) => {
  const answer = await create({ federations });
  expect(outcome(answer)).toBe(expected === '2' ? '201' : '400 invalid_federations');
  if (expected === '2') expect(answer.body).toMatchObject({ federations });
});

const raw = (federations: string, more = '') =>
  tenant.console.send('POST', '/v1/api-keys', undefined, {
    raw: `{"name":"ci"${more},"federations":${federations}}`,
    headers: { 'content-type': 'application/json' },
  });

test('a federation in which a name occurs twice is refused, also if one is escaped', async () => {
  const one = `"issuer":"${issuer}"`;
  for (const federation of [
    `{${one},"claims":{"sub":"a","sub":"b"}}`,
    `{${one},"claims":{"sub":"a","\\u0073ub":"a"}}`,
    `{${one},${one},"claims":{"sub":"a"}}`,
    `{${one},"claims":{"sub":"a"},"claims":{"sub":"a"}}`,
  ]) {
    expect(outcome(await raw(`[${federation}]`))).toBe('400 invalid_federations');
  }
});

test('names may occur in each of several federations, and twice outside of them', async () => {
  const federations = `[${JSON.stringify(CI)},${JSON.stringify(DEPLOY)}]`;
  expect(outcome(await raw(federations, ',"firewall_id":null,"firewall_id":null'))).toBe('201');
});

test('an API key without a token has neither token nor prefix', async () => {
  const created = await create({ without_token: true });
  expect(read(newApiKeyObject, created)).toMatchObject({ token: null, prefix: null, has_token: false });
  const shown = await tenant.console.send('GET', `/v1/api-keys/${text(created, 'id')}`);
  expect(read(apiKeyObject, shown)).toMatchObject({ prefix: null, has_token: false });
});

test.each([false, null, undefined])('without_token: %s makes a token', async (without_token) => {
  expect((await made({ without_token })).has_token).toBe(true);
});

test('without_token cannot be changed', async () => {
  expect(outcome(await (await made({})).change({ without_token: true }))).toBe('400 invalid_request');
});

test('the federations of a tenant are limited to 16 MiB, and a revocation frees their space', async () => {
  const other = await makeTenant(stack);
  const send = (method: string, path: string, body?: unknown) =>
    other.console.send(method, `/v1/api-keys${path}`, body);
  const { id } = read(newApiKeyObject, await send('POST', '', { name: 'ci', federations: [CI] }));
  await setCount(stack, other.id, 'federation_bytes', 16 * 1024 * 1024);
  expect(outcome(await send('POST', '', { name: 'ci', federations: [CI] }))).toBe('409 limit_reached');
  expect(outcome(await send('POST', '', { name: 'ci' }))).toBe('201');
  expect(outcome(await send('PATCH', `/${id}`, { federations: [CI, DEPLOY] }))).toBe('409 limit_reached');
  expect(outcome(await send('PATCH', `/${id}`, { federations: [DEPLOY] }))).toBe('200');
  expect(outcome(await send('PATCH', `/${id}`, { federations: [CI] }))).toBe('200');
  expect(outcome(await send('DELETE', `/${id}`))).toBe('204');
  expect(outcome(await send('POST', '', { name: 'ci', federations: [CI] }))).toBe('201');
});
