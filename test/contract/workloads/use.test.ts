import { beforeAll, expect, inject, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { list, outcome, text } from '../../support/client.ts';
import { eventObject, read } from '../../support/objects.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { workloadToken } from '../../support/workloads.ts';

const stack = inject('stack');
const issuer = workloadIssuerOf(portsOf(stack));
const FEDERATIONS = [{ issuer, claims: { sub: 'job' } }];
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
  const networks = { name: 'nowhere', allowed_ips: ['192.0.2.0/24'] };
  const firewall_id = text(await tenant.console.send('POST', '/v1/firewalls', networks), 'id');
  const { job: outside } = await federated({ firewall_id });
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
  await client.send('POST', `/v1/keys/${keyId}/encrypt`, VALUE);
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

test('an API key with federations still has its token', async () => {
  const { client } = await federated();
  expect((await client.send('GET', '/v1/caller')).body).toMatchObject({ workload: null });
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

const vault = (client: Client) => ({ headers: { 'x-vault-token': client.token ?? '' } });
const anonymous = new Client(stack, undefined);

test('a workload presents its ID token as X-Vault-Token', async () => {
  const { job } = await federated();
  const sealed = await anonymous.send('POST', '/v1/transit/encrypt/orders', VALUE, vault(job));
  const { data } = Object(sealed.body);
  const opened = await anonymous.send('POST', '/v1/transit/decrypt/orders', data, vault(job));
  expect(Object(opened.body).data).toEqual(VALUE);
});

test('lookup-self and renew-self tell when the ID token or the API key expires, whichever is sooner', async () => {
  const { job, id, client } = await federated();
  const lookUp = async (by: Client) =>
    Object(Object((await anonymous.send('GET', '/v1/auth/token/lookup-self', undefined, vault(by))).body).data);
  const renew = async (by: Client) =>
    Object(Object((await anonymous.send('POST', '/v1/auth/token/renew-self', {}, vault(by))).body).auth);
  expect(await lookUp(client)).toMatchObject({ id: client.token, ttl: 0, expire_time: null, renewable: false });
  expect(await renew(client)).toMatchObject({ lease_duration: 0, renewable: false });
  const byToken = await lookUp(job);
  expect(byToken.id).toBe(job.token);
  expect(byToken.ttl).toBeGreaterThan(590);
  expect(byToken.ttl).toBeLessThanOrEqual(600);
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
