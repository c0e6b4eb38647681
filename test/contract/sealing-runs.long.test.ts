import type { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR_US, MINUTE_US, makeInstant } from '../../shared/base/clock.ts';
import { idSchema, type TenantId } from '../../shared/base/ids.ts';
import { decideSeal } from '../../shared/sealing/decide.ts';
import { sealRows } from '../../shared/sealing/seal-audit.ts';
import { readInstant } from '../../shared/store/collection.ts';
import { firestoreOf } from '../support/firestore.ts';
import { forgetTenants } from '../support/forget.ts';
import { ownStack } from '../support/own-stack.ts';
import { checkLog, entriesOf, openSealing, plantLog, sealsOf, waitPast } from '../support/sealed-log.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';

const stack = ownStack();
const LATE = 'audit event stored after its period was sealed';

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

/**
 * Runs the sealing job for all tenants that are marked as having unsealed rows, for at most `forMs` milliseconds. Adds
 * each text that the job signs to `signed`.
 */
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
    sealing.clock.move(addToOffset(minutes));
    expect([minutes, await failures()]).toEqual([minutes, failed]);
  }
});

let offset = 2 * MINUTE_US;
/** Adds minutes to the clock's offset. Returns the new offset in microseconds. */
function addToOffset(minutes: number): number {
  offset += minutes * MINUTE_US;
  return offset;
}

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
