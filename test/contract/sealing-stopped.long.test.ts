import { type Firestore, Timestamp } from '@google-cloud/firestore';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR_US, MINUTE_US } from '../../shared/base/clock.ts';
import { sealRows } from '../../shared/sealing/seal-audit.ts';
import { firestoreOf } from '../support/firestore.ts';
import { forgetTenants } from '../support/forget.ts';
import { ownStack } from '../support/own-stack.ts';
import { checkLog, openSealing } from '../support/sealed-log.ts';
import { MINUTE_MS, sealAudit as sealThroughControl, setClock } from '../support/steer.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';

const stack = ownStack();
const FAR_AHEAD = Timestamp.fromMillis(Date.UTC(2100));
const NO_MARK = 'sealing marks missing for unsealed audit events';
const LONG_PAUSE = 'sealing pause longer than an hour ignored';
const UNSEALED = 'audit events unsealed for more than an hour';

let store: Firestore;
let sealing: ReturnType<typeof openSealing>;

beforeAll(() => {
  store = firestoreOf(stack);
});
afterAll(() => store.terminate());
beforeEach(async () => {
  await forgetTenants(stack);
  sealing = openSealing(stack);
});

const head = ({ id }: Tenant) => store.doc(`sealHeads/${id}`);
const verified = ({ console }: Tenant) => checkLog(console);
const errors = () => sealing.logged.filter(({ severity }) => severity === 'ERROR');

/** Makes a tenant with two sealed rows and one unsealed row, and moves the clock so that this row can be sealed. */
async function makeVictim(): Promise<Tenant> {
  const tenant = await makeTenant(stack);
  await tenant.createKey('wrapped');
  await sealing.seal(tenant.id);
  await tenant.createKey('wrapped');
  sealing.clock.move(3 * MINUTE_US);
  return tenant;
}

async function removeMarks(): Promise<void> {
  for (const mark of await store.collection('unsealed').listDocuments()) await mark.delete();
}

test('a sealing run that is started through the control API also seals the rows of a tenant that is not marked as having unsealed rows', async () => {
  const tenant = await makeTenant(stack);
  await tenant.createKey('wrapped');
  await removeMarks();
  await setClock(stack, new Date(Date.now() + 3 * MINUTE_MS).toISOString());
  expect(await sealThroughControl(stack)).toEqual({ sealed: 1, entries: 2, failed: 0 });
  expect(await verified(tenant)).toEqual({ findings: [], entries: 2 });
});

test.each<[what: string, tamper: (tenant: Tenant) => Promise<unknown>, messages: string[]]>([
  ['removed the marks of a tenant’s unsealed rows', removeMarks, [NO_MARK]],
  [
    'postponed the next sealing attempt far into the future',
    (tenant) => head(tenant).update({ retry_at: FAR_AHEAD }),
    [LONG_PAUSE],
  ],
  [
    'postponed the next sealing attempt and removed the marks of unsealed rows',
    async (tenant) => {
      await head(tenant).update({ retry_at: FAR_AHEAD });
      await removeMarks();
    },
    [NO_MARK, LONG_PAUSE],
  ],
  [
    'removed the marks of unsealed rows and stored unreadable rows',
    async () => {
      await removeMarks();
      for (const tenant_id of ['', '0', '8 is no id', 'ffffffff-ffff-4fff-8fff-ffffffffffff']) {
        await store.collection('audit').add({ tenant_id, shard: 0, ts: Timestamp.fromMillis(0) });
      }
    },
    ['comparing events with seals failed for a tenant', NO_MARK],
  ],
])('if somebody has %s, the tenant’s rows are still sealed and an error is logged', async (_, tamper, messages) => {
  const tenant = await makeVictim();
  await tamper(tenant);
  expect(await sealRows(sealing.services, true)).toEqual({ sealed: 1, entries: 1, failed: 0 });
  expect(errors().map(({ message }) => message)).toEqual(expect.arrayContaining(messages));
  expect(errors()).toHaveLength(messages.length);
  expect(await verified(tenant)).toEqual({ findings: [], entries: 3 });
  expect(await sealRows(sealing.services, true)).toEqual({ sealed: 0, entries: 0, failed: 0 });
});

test.each<[what: string, tamper: (tenant: Tenant) => Promise<unknown>]>([
  ['claimed in the log’s head that the rows are already sealed', (tenant) => head(tenant).update({ until: FAR_AHEAD })],
  ['repeatedly postponed the next sealing attempt by less than an hour', postpone],
  [
    'claimed in the log’s head and in the newest seal that the rows are already sealed',
    async (tenant) => {
      await head(tenant).update({ until: FAR_AHEAD });
      await store.doc(`seals/${tenant.id}_0`).update({ until: FAR_AHEAD });
    },
  ],
])('if somebody has %s, an error about the unsealed rows is logged after an hour', async (_, tamper) => {
  const tenant = await makeVictim();
  sealing.clock.move(HOUR_US + 5 * MINUTE_US);
  await tamper(tenant);
  await removeMarks();
  expect(await sealRows(sealing.services, true)).toEqual({ sealed: 0, entries: 0, failed: 0 });
  expect(errors()).toMatchObject([
    { message: NO_MARK, tenant_id: tenant.id },
    { message: UNSEALED, tenant_id: tenant.id },
  ]);
});

test('if somebody has removed the newest seal, an error about the unsealed rows is logged after an hour', async () => {
  const tenant = await makeVictim();
  await sealing.seal(tenant.id);
  await store.doc(`seals/${tenant.id}_1`).delete();
  sealing.clock.move(HOUR_US + 5 * MINUTE_US);
  await sealRows(sealing.services, true);
  expect(errors().map(({ message }) => message)).toContain(UNSEALED);
});

function postpone(tenant: Tenant): Promise<unknown> {
  return head(tenant).update({ retry_at: new Date((sealing.clock.now() + HOUR_US - MINUTE_US) / 1000) });
}

test('if somebody changes a log’s head to name another tenant, the service does not sign that other tenant’s log again', async () => {
  const [victim, other] = [await makeVictim(), await makeVictim()];
  const newHead = { next_index: 7, until: Timestamp.fromMillis(0), size: 0, hashes: [] };
  await head(other).update({ tenant_id: victim.id, ...newHead });
  expect(await sealing.seal(other.id)).toMatchObject({ failed: true });
  expect((await store.doc(`seals/${victim.id}_7`).get()).exists).toBe(false);
});

test('if the comparison of events with seals runs out of time, an error is logged', async () => {
  await makeVictim();
  await sealRows(sealing.services, true, 0);
  expect(errors()).toMatchObject([{ message: 'comparing events with seals ran out of time' }]);
});
