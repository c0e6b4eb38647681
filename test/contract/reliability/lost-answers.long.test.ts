import { randomUUID } from 'node:crypto';
import type { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { PROJECT_ID } from '../../../emulators/base/repository.ts';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { LONG_DEADLINES_MS } from '../../../functions/local/other-deadlines.ts';
import { makeEvent } from '../../../shared/audit/record.ts';
import { type Instant, makeClock } from '../../../shared/base/clock.ts';
import { monthOf } from '../../../shared/base/month.ts';
import { DEADLINES_MS } from '../../../shared/deadlines.ts';
import { GRPC } from '../../../shared/grpc/status.ts';
import { readCounts } from '../../../shared/metering/counter.ts';
import { GroupCommit } from '../../../shared/metering/group-commit.ts';
import { collection, readInstant } from '../../../shared/store/collection.ts';
import { connect } from '../../../shared/store/connect.ts';
import { isAlreadyExists } from '../../../shared/store/failures.ts';
import type { FirestoreApi } from '../../../shared/store/firestore-api.ts';
import { Store } from '../../../shared/store/store.ts';
import type { Writes } from '../../../shared/store/writes.ts';
import { NO_METRICS } from '../../../shared/telemetry/metrics.ts';
import { createContainer, deleteContainer, listContainers } from '../../../shared/tenancy/containers.ts';
import { OBJECT_COUNTS } from '../../../shared/tenancy/object-counts.ts';
import { addTenant, type NewTenant } from '../../../shared/tenancy/provision.ts';
import {
  type CallFault,
  type FailingProxy,
  startFailingGrpcProxy,
  startGrpcProxy,
} from '../../reliability/failing-proxy.ts';
import { aKey } from '../../shared/keys/a-key.ts';
import { firestoreOf } from '../../support/firestore.ts';
import { openInProcess } from '../../support/in-process.ts';

/** Replaces the function that records an audit event, because these tests do not check the audit log. */
const recordNothing = () => undefined;

const TIMES = 15;
const PERMISSION_DENIED = 7;

const ROWS = collection('lostAnswersRows', z.object({ of: z.string() }));
const SUMS = collection('lostAnswersSums', z.object({ ops: z.int(), of: z.string() }));

let proxy: FailingProxy;
let api: FirestoreApi;
let db: Firestore;
let store: Store;
const usual = { ...DEADLINES_MS };
beforeAll(async () => {
  // Repeated calls take longer than usual, and on a busy machine longer than the usual deadlines.
  Object.assign(DEADLINES_MS, LONG_DEADLINES_MS);
  proxy = await startFailingGrpcProxy(portsOf(inject('stack')).firestore);
  api = connect({ project: PROJECT_ID, firestoreEmulatorHost: `127.0.0.1:${proxy.port}` });
  db = firestoreOf(inject('stack'));
  store = new Store(api);
});
afterAll(async () => {
  Object.assign(DEADLINES_MS, usual);
  await db.terminate();
  await api.close();
  proxy.stop();
});

/** Runs `work` for objects while every fifth call fails, though some are applied. Returns their rows and counts. */
async function manyTimes(
  work: (of: string) => Promise<unknown>,
  status?: number,
): Promise<{ rows: number; ops: number }[]> {
  const objects = Array.from({ length: TIMES }, () => randomUUID());
  proxy.failOneIn(5, status);
  await Promise.all(objects.map(work));
  proxy.failOneIn(0);
  return Promise.all(
    objects.map(async (of) => {
      const rows = await db.collection(ROWS.name).where('of', '==', of).get();
      return { rows: rows.size, ops: (await store.find(SUMS, of))?.ops ?? 0 };
    }),
  );
}

/** The reported commit times of the rows that a test created, by row id. */
const reportedTimes = new Map<string, Instant[]>();
beforeEach(() => reportedTimes.clear());

function createRow(writes: Writes, of: string): void {
  const id = randomUUID();
  writes.create(ROWS, id, { of });
  writes.onApplied((commitTime) => reportedTimes.set(id, [...(reportedTimes.get(id) ?? []), commitTime]));
}

/** Returns the rows whose commit time was not reported exactly once, or differs from Firestore's. */
async function wrongCommitTimes() {
  const found = await Promise.all(
    [...reportedTimes].map(async ([id, times]) => ({ times, row: await store.findWithUpdateTime(ROWS, id) })),
  );
  expect(found).toHaveLength(TIMES);
  return found.filter(
    ({ times, row }) => times.length !== 1 || row === undefined || times[0] !== readInstant(row.updateTime),
  );
}

const ONCE = Array(TIMES).fill({ rows: 1, ops: 1 });

test.each([
  ['UNAVAILABLE', 14],
  ['ABORTED', 10],
])(
  'a commit that fails with %s, or whose answer is lost, is applied exactly once and reported as applied',
  async (_, status) => {
    const write = (of: string) =>
      store.write((writes) => {
        writes.increment(SUMS, of, { ops: 1 }, { of });
        createRow(writes, of);
      });
    expect(await manyTimes(write, status)).toEqual(ONCE);
    expect(await wrongCommitTimes()).toEqual([]);
  },
);

test('if answers from Firestore are lost, containers are still created and deleted, and each change is counted exactly once', async () => {
  const FIRESTORE_EMULATOR_HOST = `127.0.0.1:${proxy.port}`;
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', FIRESTORE_EMULATOR_HOST);
  const { services } = openInProcess(inject('stack'), { FIRESTORE_EMULATOR_HOST });
  const { promise: tenant, resolve } = Promise.withResolvers<NewTenant>();
  await services.store.write((writes) => resolve(addTenant(services.clock, writes)));
  const { tenantId } = await tenant;
  const left: string[] = [];
  proxy.failOneIn(5);
  for (let time = 0; time < TIMES; time++) {
    left.push((await createContainer(services, tenantId, `container ${time}`, recordNothing)).id);
    const { id } = await createContainer(services, tenantId, `passing ${time}`, recordNothing);
    await deleteContainer(
      services.store,
      tenantId,
      id,
      async () => false,
      (writes) => createRow(writes, id),
    );
  }
  proxy.failOneIn(0);
  const made = (await listContainers(services.store, tenantId)).filter(({ is_default }) => !is_default);
  expect(made.map(({ id }) => id)).toEqual(left);
  expect((await services.store.find(OBJECT_COUNTS, tenantId))?.containers).toBe(1 + TIMES);
});

test('a transaction whose answer is lost is applied exactly once and returns the result of its first attempt', async () => {
  const results: number[] = [];
  const done = await manyTimes(async (of) => {
    const result = await store.transact(async (tx) => {
      const ops = ((await tx.find(SUMS, of))?.ops ?? 0) + 1;
      tx.put(SUMS, of, { of, ops });
      createRow(tx, of);
      return ops;
    });
    results.push(result);
  });
  expect(done).toEqual(ONCE);
  expect(results).toEqual(Array(TIMES).fill(1));
  expect(await wrongCommitTimes()).toEqual([]);
});

test('an operation whose audit row cannot be written is counted exactly once, even if Firestore’s answer to the count is lost', async () => {
  // If the faults only followed the number of calls, the second could hit another attempt to write the rows.
  let faults: CallFault[] = [];
  let next: CallFault = { refuse: PERMISSION_DENIED };
  const refusing = await startGrpcProxy(portsOf(inject('stack')).firestore, () => faults.shift() ?? next);
  const metrics = {
    ...NO_METRICS,
    commitFailed() {
      faults = [{ loseAnswer: GRPC.UNAVAILABLE }];
      next = {};
    },
  };
  const refusedApi = connect({ project: PROJECT_ID, firestoreEmulatorHost: `127.0.0.1:${refusing.port}` });
  const clock = makeClock();
  const key = aKey();
  const month = monthOf(clock.now());
  const origin = { requestId: null, tenantId: key.tenant_id } as const;
  const counted = { key, month, day: '01', usedOlder: false };
  const ended = { event: makeEvent(clock, origin, 'wrap', key.id), counted };
  await expect(new GroupCommit(new Store(refusedApi), clock, metrics).record(ended)).rejects.toThrow();
  refusing.stop();
  expect((await readCounts(store, [key.id], month)).map(({ ops }) => ops)).toEqual([1]);
});

test('a write that claims an id fails if an earlier write has claimed the same id', async () => {
  const id = randomUUID();
  const claim = () =>
    store.write((writes) => {
      writes.claim(ROWS, id, { of: id });
      writes.create(ROWS, randomUUID(), { of: id });
    });
  await claim();
  expect(isAlreadyExists(await claim().catch((error: unknown) => error))).toBe(true);
});
