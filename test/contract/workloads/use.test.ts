import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { CONSOLE_AUDIENCE } from '../../../emulators/stack/service-environment.ts';
import { control, list, outcome, text } from '../../support/client.ts';
import { eventObject, read } from '../../support/objects.ts';
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
  expect(byToken.id).toBe(job.token);
  expect(Number(byToken.ttl)).toBeGreaterThan(590);
  expect(Number(byToken.ttl)).toBeLessThanOrEqual(600);
  const expires_at = `${new Date(Date.now() + 300_000).toISOString().slice(0, 23)}456Z`;
  await tenant.console.send('PATCH', `/v1/api-keys/${id}`, { expires_at });
  for (const by of [job, client]) {
    const { ttl, expire_time } = await lookUp(by);
    expect(expire_time).toBe(expires_at);
    expect(ttl).toBeLessThanOrEqual(300);
    expect(await renew(by)).toMatchObject({ renewable: false, client_token: by.token });
    expect((await renew(by)).lease_duration).toBeLessThanOrEqual(300);
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
