import { once } from 'node:events';
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openHooks } from '../../emulators/base/service-hooks.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { HOUR_US, MINUTE_US, makeInstant } from '../../shared/base/clock.ts';
import { idSchema, type TenantId } from '../../shared/base/ids.ts';
import { decideSeal } from '../../shared/sealing/decide.ts';
import { sealRows } from '../../shared/sealing/seal-audit.ts';
import { SETTLED_AFTER_US } from '../../shared/sealing/seal-tenant.ts';
import { readInstant } from '../../shared/store/collection.ts';
import { startGrpcProxy } from '../reliability/failing-proxy.ts';
import { firestoreOf } from '../support/firestore.ts';
import { forgetTenants } from '../support/forget.ts';
import { ownStack } from '../support/own-stack.ts';
import { checkLog, entriesOf, openSealing, plantLog, sealsOf, waitPast } from '../support/sealed-log.ts';
import { startSecondService } from '../support/second-service.ts';
import { MINUTE_MS, sealAudit, setClock } from '../support/steer.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';

const stack = ownStack();
const LATE = 'audit event stored after its period was sealed';
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

/** Runs the sealing job for all tenants with marks, for at most `forMs`. Adds each text that it signs to `signed`. */
function run(signed: string[] = [], forMs?: number) {
  const { signer } = sealing.services;
  const sign = async (text: Uint8Array) => {
    signed.push(Buffer.from(text).toString());
    return signer.key.sign(text);
  };
  const key = { publicKey: () => signer.key.publicKey(), sign };
  return sealRows({ ...sealing.services, signer: { ...signer, key } }, false, forMs);
}

/** Makes a tenant with `count` audit rows. The first two record the creation of its API key and of a key. */
async function withRows(count: number): Promise<Tenant> {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('wrapped');
  await addRows(tenant, key, count - 2);
  return tenant;
}

async function addRows({ api }: Tenant, key: string, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => api.send('POST', `/v1/keys/${key}/wrap`, {})));
}

const verified = ({ console }: Tenant) => checkLog(console);
const marks = async () => (await store.collection('unsealed').get()).size;
const head = ({ id }: Tenant) => store.doc(`sealHeads/${id}`);
const idOf = ({ id }: Tenant) => idSchema<TenantId>().parse(id);

/** Waits until a sealing run includes all rows. */
async function settle(): Promise<void> {
  const [newest] = (await store.collection('audit').orderBy('ts', 'desc').limit(1).get()).docs;
  if (newest !== undefined) await waitPast(readInstant(newest.get('ts')), sealing.clock);
}

test('if a sealing run is interrupted after storing the root of a seal but before signing, the next run signs the same root', async () => {
  const tenant = await withRows(3);
  const key = { ...sealing.services.signer.key, publicKey: async () => Promise.reject(new Error('cut off')) };
  const cut = { ...sealing.services.signer, key };
  expect(await sealing.seal(tenant.id, { signer: cut })).toMatchObject({ failed: true });
  const decided = (await head(tenant).get()).get('pending');
  expect(await sealsOf(tenant.console)).toEqual([]);
  await tenant.createKey('wrapped');
  const signed: string[] = [];
  await settle();
  await run(signed);
  expect(signed[0]).toBe(`encryption-service.local/${tenant.id}\n3\n${decided.root}\n`);
  expect((await sealsOf(tenant.console)).map(({ size }) => size)).toEqual([3, 4]);
  expect(await verified(tenant)).toEqual({ findings: [], entries: 4 });
});

test('if a sealing run is interrupted after signing, the next run does not sign the seal again', async () => {
  const tenant = await withRows(3);
  await settle();
  await decideSeal(sealing.services.store, idOf(tenant), makeInstant(sealing.clock.now() - 2 * MINUTE_US));
  const decided = (await head(tenant).get()).data() ?? {};
  await run();
  const seals = await sealsOf(tenant.console);
  await head(tenant).set(decided);
  const signed: string[] = [];
  // The first seal removed the mark that the tenant has unsealed rows, and the next run would skip a tenant without a
  // mark. The new row makes another mark.
  await tenant.createKey('wrapped');
  await settle();
  await run(signed);
  expect(signed).toHaveLength(1);
  expect((await sealsOf(tenant.console))[0]).toEqual(seals[0]);
  expect(await verified(tenant)).toEqual({ findings: [], entries: 4 });
});

test('a sealing run signs nothing if a seal with the next index already exists', async () => {
  const tenant = await withRows(2);
  await sealing.seal(tenant.id);
  const first = (await store.doc(`seals/${tenant.id}_0`).get()).data() ?? {};
  await store.doc(`seals/${tenant.id}_1`).set({ ...first, index: 1 });
  await tenant.createKey('wrapped');
  const signed: string[] = [];
  await settle();
  expect(await run(signed)).toEqual({ sealed: 0, entries: 0, failed: 1 });
  await head(tenant).delete();
  expect(await run(signed)).toEqual({ sealed: 0, entries: 0, failed: 1 });
  expect(signed).toEqual([]);
});

test('a sealing run does not start to seal a log after its time has run out', async () => {
  const tenant = await withRows(2);
  await settle();
  expect(await run([], 0)).toEqual({ sealed: 0, entries: 0, failed: 0 });
  expect(await run()).toEqual({ sealed: 1, entries: 2, failed: 0 });
  expect(await verified(tenant)).toEqual({ findings: [], entries: 2 });
});

test('a log whose sealing fails does not stop the sealing of other logs, and is retried after increasing delays', async () => {
  const [broken, healthy] = [await withRows(2), await withRows(2)];
  await sealing.seal(broken.id);
  await head(broken).update({ hashes: [] });
  await broken.createKey('wrapped');
  await settle();
  expect(await run()).toEqual({ sealed: 1, entries: 2, failed: 1 });
  expect(await verified(healthy)).toEqual({ findings: [], entries: 2 });
  const failures = async () => (await run()).failed;
  let offset = SETTLED_AFTER_US;
  // The first retry is immediate. The waits before the later retries are 10, 20, 40 and then always 60 minutes.
  expect([await failures(), await failures()]).toEqual([1, 0]);
  for (const [minutes, failed] of [
    [9, 0],
    [2, 1],
    [18, 0],
    [3, 1],
    [39, 0],
    [2, 1],
    [59, 0],
    [2, 1],
    [58, 0],
    [3, 1],
  ] as const) {
    offset += minutes * MINUTE_US;
    sealing.clock.move(offset);
    expect([minutes, await failures()]).toEqual([minutes, failed]);
  }
});

test('a log with more rows than fit in one seal gets several seals, and rows with the same ts are in the same seal', async () => {
  const tenant = await withRows(7);
  const rows = await store.collection('audit').where('tenant_id', '==', tenant.id).get();
  const ts = rows.docs.map((row) => row.get('ts')).sort((one, other) => one.valueOf().localeCompare(other.valueOf()));
  for (const row of rows.docs.filter((one) => ts.slice(2, 5).some((at) => at.isEqual(one.get('ts'))))) {
    await row.ref.update({ ts: ts[3] });
  }
  await settle();
  const { store: own } = sealing.services;
  const until = makeInstant(sealing.clock.now() - 2 * MINUTE_US);
  for (let left = 7; left > 0; left -= 3) {
    await decideSeal(own, idOf(tenant), until, 3);
    await head(tenant).update({ failures: 0 });
    await sealing.seal(tenant.id);
    if (left === 7) expect((await sealsOf(tenant.console))[0]).toMatchObject({ entries: 5 });
  }
  expect((await sealsOf(tenant.console)).map(({ entries }) => entries)).toEqual([5, 2]);
  expect(await verified(tenant)).toEqual({ findings: [], entries: 7 });
});

test('a log with thousands of entries can be read from any position, and the log check finds no fault', async () => {
  const { console, rows } = await plantLog(stack, store, sealing.services, [999, 2, 1499, 1]);
  const shown = async (query: string) => (await entriesOf(console, query)).map((entry) => entry?.id);
  expect(await shown('?from=0&limit=1000')).toEqual(rows.slice(0, 1000));
  expect(await shown('?from=995&limit=10')).toEqual(rows.slice(995, 1005));
  expect(await shown('?from=1000')).toEqual(rows.slice(1000, 1100));
  expect(await shown('?from=1501&limit=1000')).toEqual(rows.slice(1501));
  expect(await shown('?from=2501')).toEqual([]);
  expect(await checkLog(console)).toEqual({ findings: [], entries: 2501 });
});

test('a process stores one mark per tenant and ten-minute period, and sealing the period removes the mark', async () => {
  const tenant = await withRows(2);
  const other = await withRows(3);
  const before = await marks();
  // There are two marks, one per tenant, or three if a ten-minute period ended in between.
  expect([2, 3]).toContain(before);
  await settle();
  await run();
  sealing.clock.move(14 * MINUTE_US);
  expect(await run()).toEqual({ sealed: 0, entries: 0, failed: 0 });
  expect(await marks()).toBe(0);
  expect([await verified(tenant), await verified(other)].flatMap(({ findings }) => findings)).toEqual([]);
});

test('if a mark is stored after its period was sealed, exactly one error is logged', async () => {
  const tenant = await withRows(2);
  sealing.clock.move(HOUR_US);
  await run();
  const since = (await store.doc(`sealHeads/${tenant.id}`).get()).get('until');
  const early = new Date(Math.floor((since.toMillis() - HOUR_US / 1000) / 600_000) * 600_000);
  await store
    .doc(`unsealed/${tenant.id}_late_other`)
    .set({ tenant_id: tenant.id, since: early, shard: 0, schema_version: 1 });
  await run();
  await run();
  const late = sealing.logged.filter(({ message }) => message === LATE);
  expect(late).toMatchObject([{ severity: 'ERROR', tenant_id: tenant.id }]);
  expect(await marks()).toBe(0);
});

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
  expect(await sealAudit(stack)).toEqual({ sealed: 1, entries: 2, failed: 0 });
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

test('if a process is killed before any write or signature of a sealing run, the next process finishes the seal', async () => {
  /** Lets a write or a signature through, or not. */
  let onCall = async () => ({});
  const decide = (path: string) => (/\/(Commit|AsymmetricSign)$/.test(path) ? onCall() : {});
  const { firestore, kms } = portsOf(stack);
  const proxies = [await startGrpcProxy(firestore, decide), await startGrpcProxy(kms, decide)];
  onTestFinished(() => {
    for (const { stop } of proxies) stop();
  });
  const [FIRESTORE_EMULATOR_HOST, KMS_EMULATOR_HOST] = proxies.map(({ port }) => `127.0.0.1:${port}`);

  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('wrapped');
  // The two entries record the creation of the API key and of the key.
  let entries = 2;
  let kills = 0;
  for (let isKilled = true; isKilled; ) {
    for (let n = 0; n < 3; n++) await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {});
    entries += 3;
    const { child } = await startSecondService(stack, { FIRESTORE_EMULATOR_HOST, KMS_EMULATOR_HOST });
    const ask = openHooks(child);
    const ended = once(child, 'exit');
    await ask({ clock_offset_us: SETTLED_AFTER_US });
    let calls = 0;
    isKilled = false;
    onCall = async () => {
      if (calls++ !== kills) return {};
      isKilled = true;
      child.kill('SIGKILL');
      return new Promise(() => undefined);
    };
    await ask({ run: 'seal-audit' }).catch(() => undefined);
    if (isKilled) kills++;
    else child.kill('SIGKILL');
    await ended;
  }
  // A run stores what it seals, signs it and stores the seal.
  expect(kills).toBeGreaterThanOrEqual(3);
  const { findings } = await checkLog(tenant.console);
  expect(findings).toEqual([]);
  const { seal } = openSealing(stack);
  while ((await seal(tenant.id)).more);
  expect(await checkLog(tenant.console)).toEqual({ findings: [], entries });
});
