import { beforeAll, expect, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../emulators/stack/ports.ts';
import { encodeEntry } from '../../shared/transparency/entry.ts';
import { encodeHash, hashLeaf, rootOf } from '../../shared/transparency/tree.ts';
import { type AuditEvent, eventsOfTenant } from '../support/audit.ts';
import { forgetTenants } from '../support/forget.ts';
import { ownStack } from '../support/own-stack.ts';
import { checkLog, entriesOf, logKeyOf, sealsOf, signedIn } from '../support/sealed-log.ts';
import { MINUTE_MS, sealAudit, setClock } from '../support/steer.ts';
import { Client, makeTenant, type Tenant } from '../support/tenant.ts';
import { workloadToken } from '../support/workloads.ts';

const stack = ownStack();

/** Sets the clock to `minutes` from now, so that all events so far can be sealed. Then runs the sealing job. */
async function sealAfter(minutes: number) {
  await setClock(stack, new Date(Date.now() + minutes * MINUTE_MS).toISOString());
  return sealAudit(stack);
}

const byTsAndId = (one: AuditEvent, other: AuditEvent) => (`${one.ts} ${one.id}` < `${other.ts} ${other.id}` ? -1 : 1);
const rootOfEvents = (events: readonly AuditEvent[]) =>
  encodeHash(rootOf(events.map((event) => hashLeaf(encodeEntry(event)))));

let tenant: Tenant;
let events: AuditEvent[];
/** The number of events in the first seal: the creations of an API key and of a key, and three operations. */
const split = 5;

beforeAll(async () => {
  await forgetTenants(stack);
  tenant = await makeTenant(stack);
  const key = await tenant.createKey('wrapped');
  for (let n = 2; n < split; n++) await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {});
  expect(await sealAudit(stack)).toEqual({ sealed: 0, entries: 0, failed: 0 });
  expect(await sealAfter(0.5)).toEqual({ sealed: 0, entries: 0, failed: 0 });
  expect(await sealAfter(3)).toEqual({ sealed: 1, entries: split, failed: 0 });
  expect(await sealAudit(stack)).toEqual({ sealed: 0, entries: 0, failed: 0 });
  await tenant.api.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: '' });
  await tenant.api.send('DELETE', `/v1/keys/${key}`);
  expect(await sealAfter(30)).toEqual({ sealed: 1, entries: 2, failed: 0 });
  events = (await eventsOfTenant(tenant.console)).sort(byTsAndId);
});

test('each sealing run that finds new events makes one seal, and the periods of the seals cover the time since the tenant’s creation without gaps', async () => {
  const [first, second, ...others] = await sealsOf(tenant.console);
  const me = await tenant.console.send('GET', '/v1/me');
  expect(others).toEqual([]);
  expect(first).toMatchObject({ index: 0, first_entry: 0, entries: split, size: split });
  expect(first?.from).toBe(Object(Object(me.body).tenant).created_at);
  expect(second).toMatchObject({ index: 1, from: first?.until, first_entry: split, entries: 2, size: split + 2 });
});

test('the entries of a log are the tenant’s events, ordered by ts and id, and each seal has the Merkle root of all entries up to that seal', async () => {
  expect(await entriesOf(tenant.console)).toEqual(events);
  const seals = await sealsOf(tenant.console);
  expect(seals.map(({ root }) => root)).toEqual([rootOfEvents(events.slice(0, split)), rootOfEvents(events)]);
  expect(await checkLog(tenant.console)).toEqual({ findings: [], entries: split + 2 });
});

test('an audit log is signed by a key that has the tenant’s id in its name', async () => {
  const key = await logKeyOf(tenant.console);
  expect(key.name).toBe(`encryption-service.local/${tenant.id}`);
  for (const { size, root, checkpoint } of await sealsOf(tenant.console)) {
    expect(signedIn(checkpoint, key)).toEqual({ size, root });
  }
});

test('seals and entries can be read from any position and with a limit', async () => {
  const seals = await sealsOf(tenant.console);
  expect(await sealsOf(tenant.console, '?from=1')).toEqual(seals.slice(1));
  expect(await sealsOf(tenant.console, '?limit=1')).toEqual(seals.slice(0, 1));
  expect(await entriesOf(tenant.console, '?from=2&limit=3')).toEqual(events.slice(2, 5));
  for (const from of ['2', '99999999999999999999']) {
    expect(await sealsOf(tenant.console, `?from=${from}`)).toEqual([]);
  }
  expect(await entriesOf(tenant.console, `?from=${split + 2}`)).toEqual([]);
});

test('a tenant cannot read another tenant’s audit log, and each tenant’s log key has a different name', async () => {
  const other = await makeTenant(stack);
  expect(await sealsOf(other.console)).toEqual([]);
  expect(await entriesOf(other.console)).toEqual([]);
  expect((await logKeyOf(other.console)).name).toBe(`encryption-service.local/${other.id}`);
});

test('GET /v1/audit/key returns the verifier key as plain text, and the audit log does not record reads of the key, the seals and the entries', async () => {
  const { console } = await makeTenant(stack, 'none');
  const before = await eventsOfTenant(console);
  const { headers, body } = await console.send('GET', '/v1/audit/key');
  expect(headers.get('content-type')).toBe('text/plain');
  expect(body).toMatch(/^encryption-service\.local\/[0-9a-f-]{36}\+[0-9a-f]{8}\+[A-Za-z0-9+/=]{44}$/);
  await sealsOf(console);
  await entriesOf(console);
  expect(await eventsOfTenant(console)).toEqual(before);
});

test('the workload of an event is sealed with it, and the sealed log verifies', async () => {
  const tenant = await makeTenant(stack);
  const issuer = workloadIssuerOf(portsOf(stack));
  const { id } = await tenant.mint({ federations: [{ issuer, claims: { sub: 'job' } }] });
  const key = await tenant.createKey('wrapped');
  const job = new Client(stack, await workloadToken(stack, id, { sub: 'job', name: 'é' }));
  await job.send('POST', `/v1/keys/${key}/wrap`, {});
  await sealAfter(3);
  const sealed = await entriesOf(tenant.console);
  expect(sealed.find((entry) => entry?.operation === 'wrap')).toMatchObject({ workload: { issuer, subject: 'job' } });
  expect(sealed.find((entry) => entry?.operation === 'create_key')).toMatchObject({ workload: null });
  expect(await checkLog(tenant.console)).toEqual({ findings: [], entries: sealed.length });
});
