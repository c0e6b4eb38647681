import { randomUUID } from 'node:crypto';
import type { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { PROJECT_ID } from '../../../emulators/base/project.ts';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { collection } from '../../../shared/store/collection.ts';
import { connect } from '../../../shared/store/connect.ts';
import { isAlreadyExists, Store } from '../../../shared/store/store.ts';
import { createContainer, deleteContainer, listContainers } from '../../../shared/tenancy/containers.ts';
import { OBJECT_COUNTS } from '../../../shared/tenancy/object-counts.ts';
import { addTenant, type NewTenant } from '../../../shared/tenancy/provision.ts';
import { type FailingProxy, startFailingGrpcProxy } from '../../reliability/failing-proxy.ts';
import { openInProcess } from '../../support/in-process.ts';

const TIMES = 15;

const ROWS = collection('lostAnswersRows', z.object({ of: z.string() }));
const SUMS = collection('lostAnswersSums', z.object({ ops: z.int(), of: z.string() }));

let proxy: FailingProxy;
let db: Firestore;
let store: Store;
beforeAll(async () => {
  proxy = await startFailingGrpcProxy(portsOf(inject('stack')).firestore);
  const connection = connect({ project: PROJECT_ID, firestoreEmulatorHost: `127.0.0.1:${proxy.port}` });
  db = connection.db;
  store = new Store(connection);
});
afterAll(async () => {
  await db.terminate();
  proxy.stop();
});

/** Has something done about as many things side by side, while every fifth call fails: of some the answer alone is lost. */
async function manyTimes(
  work: (of: string) => Promise<unknown>,
  status?: number,
): Promise<{ rows: number; ops: number }[]> {
  const things = Array.from({ length: TIMES }, () => randomUUID());
  proxy.failOneIn(5, status);
  await Promise.all(things.map(work));
  proxy.failOneIn(0);
  return Promise.all(
    things.map(async (of) => {
      const rows = await db.collection(ROWS.name).where('of', '==', of).get();
      return { rows: rows.size, ops: (await store.find(SUMS, of))?.ops ?? 0 };
    }),
  );
}

const ONCE = Array(TIMES).fill({ rows: 1, ops: 1 });

test.each([
  ['UNAVAILABLE', 14],
  ['ABORTED', 10],
])('a commit that fails as %s, or whose answer is lost, is applied once, and known to be', async (_, status) => {
  const write = (of: string) =>
    store.write((writes) => {
      writes.increment(SUMS, of, { ops: 1 }, { of });
      writes.create(ROWS, randomUUID(), { of });
    });
  expect(await manyTimes(write, status)).toEqual(ONCE);
});

test('a creation and a deletion whose answers are lost succeed, and are counted once', async () => {
  const FIRESTORE_EMULATOR_HOST = `127.0.0.1:${proxy.port}`;
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', FIRESTORE_EMULATOR_HOST);
  const { needs } = openInProcess(inject('stack'), { FIRESTORE_EMULATOR_HOST });
  const { promise: tenant, resolve } = Promise.withResolvers<NewTenant>();
  await needs.store.write((writes) => resolve(addTenant(needs.clock, writes)));
  const { tenantId } = await tenant;
  const left: string[] = [];
  proxy.failOneIn(5);
  for (let time = 0; time < TIMES; time++) {
    left.push((await createContainer(needs, tenantId, `container ${time}`)).id);
    const { id } = await createContainer(needs, tenantId, `passing ${time}`);
    await deleteContainer(needs.store, tenantId, id, async () => false);
  }
  proxy.failOneIn(0);
  const made = (await listContainers(needs.store, tenantId)).filter(({ is_default }) => !is_default);
  expect(made.map(({ id }) => id)).toEqual(left);
  expect((await needs.store.find(OBJECT_COUNTS, tenantId))?.containers).toBe(1 + TIMES);
});

test('a transaction whose answer is lost is applied once, and its result is what it was', async () => {
  const results: number[] = [];
  const done = await manyTimes(async (of) => {
    const result = await store.transact(async (tx) => {
      const ops = ((await tx.find(SUMS, of))?.ops ?? 0) + 1;
      tx.replace(SUMS, of, { of, ops });
      tx.create(ROWS, randomUUID(), { of });
      return ops;
    });
    results.push(result);
  });
  expect(done).toEqual(ONCE);
  expect(results).toEqual(Array(TIMES).fill(1));
});

test('a claim that another holds is still refused', async () => {
  const id = randomUUID();
  const claim = () =>
    store.write((writes) => {
      writes.claim(ROWS, id, { of: id });
      writes.create(ROWS, randomUUID(), { of: id });
    });
  await claim();
  expect(isAlreadyExists(await claim().catch((error: unknown) => error))).toBe(true);
});
