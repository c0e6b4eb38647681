import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { PROJECT_ID } from '../../../emulators/base/repository.ts';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { DEADLINES_MS } from '../../../shared/deadlines.ts';
import { GRPC } from '../../../shared/grpc/status.ts';
import { collection } from '../../../shared/store/collection.ts';
import { connect } from '../../../shared/store/connect.ts';
import type { FirestoreApi } from '../../../shared/store/firestore-api.ts';
import { Store } from '../../../shared/store/store.ts';
import { type CallFault, type GrpcProxy, startGrpcProxy } from '../../reliability/failing-proxy.ts';

/** A short deadline for Firestore. The outage limit is long, because a detected outage would end retries earlier. */
const SHORT_MS = { firestore: 1_000, outage: 60_000 };
const defaults = { ...DEADLINES_MS };

const DOCS = collection('deadlines', z.object({ of: z.string() }));
const DOCS_OF = { from: DOCS, equal: ['of'] } as const;

let proxy: GrpcProxy;
let api: FirestoreApi;
let store: Store;
/** The paths of the calls that have reached the proxy. */
const calls: string[] = [];
let faultFor: () => CallFault | Promise<CallFault> = () => ({});

beforeAll(async () => {
  proxy = await startGrpcProxy(portsOf(inject('stack')).firestore, (path) => {
    calls.push(path);
    return faultFor();
  });
  api = connect({ project: PROJECT_ID, firestoreEmulatorHost: `127.0.0.1:${proxy.port}` });
  store = new Store(api);
  // The first call of the client loads code, which takes longer than the short deadline.
  await api.read(['tenants/ping']);
  Object.assign(DEADLINES_MS, SHORT_MS);
});
afterAll(async () => {
  Object.assign(DEADLINES_MS, defaults);
  await api.close();
  proxy.stop();
});

/** Makes two calls. When these are answered, all earlier calls have reached the proxy. */
async function catchUp(): Promise<void> {
  for (let time = 0; time < 2; time++) await store.ping();
}

/** Functions that each make one kind of call to Firestore: a read, a commit, a query and a transaction. */
const OPERATIONS: readonly (() => Promise<unknown>)[] = [
  () => store.find(DOCS, randomUUID()),
  () => store.write((writes) => writes.create(DOCS, randomUUID(), { of: 'a commit' })),
  () => store.select(DOCS_OF, { equal: ['none'], limit: 1 }),
  () =>
    store.transact(async (tx) => {
      await tx.find(DOCS, randomUUID());
      tx.create(DOCS, randomUUID(), { of: 'a transaction' });
    }),
];

async function expectAllRejected(): Promise<void> {
  const outcomes = await Promise.allSettled(OPERATIONS.map((operate) => operate()));
  faultFor = () => ({});
  expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
}

test('a retried call is cancelled at its deadline', async () => {
  const before = calls.length;
  faultFor = () =>
    calls.length - before > OPERATIONS.length ? new Promise(() => undefined) : { refuse: GRPC.UNAVAILABLE };
  await expectAllRejected();
  await catchUp();
  expect(proxy.open()).toEqual([]);
});

test('after its deadline, a store operation sends no more calls', async () => {
  // Without pauses between retries, a retry would reach the proxy among the calls of `catchUp`.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  faultFor = () => ({ refuse: GRPC.UNAVAILABLE });
  await expectAllRejected();
  await catchUp();
  const before = calls.length;
  await catchUp();
  expect(calls.length - before).toBe(2);
});

test('a transaction whose work takes longer than its deadline is rolled back, not committed', async () => {
  const id = randomUUID();
  const [resumed, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = store.transact(async (tx) => {
    await tx.find(DOCS, id);
    await resumed.promise;
    tx.create(DOCS, id, { of: 'a sleeper' });
    finished.resolve();
  });
  const before = calls.length;
  await expect(transaction).rejects.toThrow();
  resumed.resolve();
  await finished.promise;
  await catchUp();
  const late = calls.slice(before).map((path) => path.split('/').at(-1));
  expect([late.includes('Rollback'), late.includes('Commit')]).toEqual([true, false]);
  expect(await store.find(DOCS, id)).toBeUndefined();
});

test.each(['RESOURCE_EXHAUSTED', 'UNAVAILABLE'] as const)(
  'every store operation succeeds although Firestore first refuses each of its calls with %s',
  async (status) => {
    Object.assign(DEADLINES_MS, defaults);
    const refused = new Set<string>();
    faultFor = () => {
      const path = calls.at(-1) ?? '';
      if (refused.has(path)) return {};
      refused.add(path);
      return { refuse: GRPC[status] };
    };
    const outcomes = await Promise.allSettled(OPERATIONS.map((operate) => operate()));
    faultFor = () => ({});
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
  },
);
