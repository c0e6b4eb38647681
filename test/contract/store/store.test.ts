import { randomUUID } from 'node:crypto';
import { Timestamp } from '@google-cloud/firestore';
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { PROJECT_ID } from '../../../emulators/base/repository.ts';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { makeClock } from '../../../shared/base/clock.ts';
import type { TenantId } from '../../../shared/base/ids.ts';
import { DEADLINES_MS } from '../../../shared/deadlines.ts';
import { ApiError } from '../../../shared/errors.ts';
import { GRPC } from '../../../shared/grpc/status.ts';
import {
  type Collection,
  collection,
  instantField,
  SCHEMA_VERSION,
  storeInstant,
} from '../../../shared/store/collection.ts';
import { Commit } from '../../../shared/store/commit.ts';
import { connect } from '../../../shared/store/connect.ts';
import type { FirestoreApi } from '../../../shared/store/firestore-api.ts';
import { Store } from '../../../shared/store/store.ts';
import type { Writes } from '../../../shared/store/writes.ts';
import { createContainer, listContainers } from '../../../shared/tenancy/containers.ts';
import { OBJECT_COUNTS } from '../../../shared/tenancy/object-counts.ts';
import { addTenant, type NewTenant } from '../../../shared/tenancy/provision.ts';
import { type CallFault, type GrpcProxy, startGrpcProxy } from '../../reliability/failing-proxy.ts';
import { apiOf, firestoreOf } from '../../support/firestore.ts';
import { openInProcess } from '../../support/in-process.ts';

const db = firestoreOf(inject('stack'));
const api = apiOf(inject('stack'));
const store = new Store(api);
afterAll(() => Promise.all([db.terminate(), api.close()]));

const DATA = {
  text: 'name of ☃ and "quotes"',
  empty: '',
  yes: true,
  no: false,
  nothing: null,
  number: -7,
  largest: Number.MAX_SAFE_INTEGER,
  fraction: 0.25,
  time: new Timestamp(1_790_000_000, 123_456_000),
  before1970: new Timestamp(-2, 999_999_000),
  bytes: Buffer.from([0, 255, 128]),
  noBytes: Buffer.alloc(0),
  list: ['a', 1, null, { in: 'list' }],
  noList: [],
  map: { '01': 1, 'a b': { deeper: [true] } },
  noMap: {},
};

function newPath(): string {
  return `values/${randomUUID()}`;
}

async function write(fill: (commit: Commit) => void): Promise<void> {
  const commit = new Commit(api);
  fill(commit);
  await commit.apply();
}

test('a document is read as it was written, by the service and by Google’s client', async () => {
  const path = newPath();
  await write((commit) => commit.create(path, DATA));
  expect((await db.doc(path).get()).data()).toEqual(DATA);
  expect((await api.read([path]))[0]?.data).toEqual(DATA);
});

test('the service and Google’s client read the same update time of a document', async () => {
  const path = newPath();
  await write((commit) => commit.set(path, { a: 1 }));
  const { updateTime } = await db.doc(path).get();
  expect((await api.read([path]))[0]?.updateTime).toEqual(updateTime);
});

test('documents are returned in the requested order, repeated ids included, and missing documents are undefined', async () => {
  const [first, second] = [newPath(), newPath()];
  await write((commit) => {
    commit.create(first, { n: 1 });
    commit.create(second, { n: 2 });
  });
  const read = await api.read([second, newPath(), first, second]);
  expect(read.map(({ data }) => data)).toEqual([{ n: 2 }, undefined, { n: 1 }, { n: 2 }]);
});

test('an unchanged document is decoded only once, and a changed or recreated document is read with its new data', async () => {
  const path = newPath();
  const read = async () => (await api.read([path]))[0]?.data;
  await write((commit) => commit.create(path, { n: 1 }));
  const first = await read();
  expect(await read()).toBe(first);
  await write((commit) => commit.set(path, { n: 2 }));
  expect(await read()).toEqual({ n: 2 });
  await write((commit) => commit.delete(path));
  expect(await read()).toBeUndefined();
  await write((commit) => commit.create(path, { n: 3 }));
  expect(await read()).toEqual({ n: 3 });
});

test('writing a document with a value that Firestore cannot store throws a TypeError', async () => {
  await expect(write((commit) => commit.set(newPath(), { absent: undefined }))).rejects.toThrow(TypeError);
});

test('a change of a document sets the given fields, adds to numbers, including numbers in maps, and keeps all other fields', async () => {
  const path = newPath();
  const add = (ops: number) =>
    write((commit) => commit.merge(path, { month: '2026-10' }, { ops, days: { '01': ops, 'a b': 1 } }));
  await add(3);
  await write((commit) => commit.update(path, { other: true }, {}));
  await add(4);
  const data = { month: '2026-10', other: true, ops: 7, days: { '01': 7, 'a b': 2 } };
  expect((await api.read([path]))[0]?.data).toEqual(data);
});

test.each([
  ['creates an existing document', (commit: Commit, path: string) => commit.create(path, {}), 'ALREADY_EXISTS'],
  [
    'updates a missing document',
    (commit: Commit, path: string) => commit.update(`${path}-none`, { n: 2 }, {}),
    'NOT_FOUND',
  ],
  [
    'updates a document that has changed since it was read',
    (commit: Commit, path: string) => commit.update(path, { n: 2 }, {}, new Timestamp(1, 0)),
    'FAILED_PRECONDITION',
  ],
  [
    'deletes a document that has changed since it was read',
    (commit: Commit, path: string) => commit.delete(path, new Timestamp(1, 0)),
    'FAILED_PRECONDITION',
  ],
])('a commit that %s is refused, and none of its writes are applied', async (_, addConflict, code) => {
  const [path, otherPath] = [newPath(), newPath()];
  await write((commit) => commit.set(path, { n: 1 }));
  const refused = write((commit) => {
    commit.set(otherPath, {});
    addConflict(commit, path);
  });
  await expect(refused).rejects.toThrow(code);
  expect((await api.read([path, otherPath])).map(({ data }) => data)).toEqual([{ n: 1 }, undefined]);
});

const VALUES = collection('values', z.object({ n: z.int(), at: instantField }));

describe.each([
  ['commit', (fill: (writes: Writes) => void) => store.write(fill)],
  ['transaction', (fill: (writes: Writes) => void) => store.transact(async (tx) => fill(tx))],
])('writes in a %s', (_, apply) => {
  const { now } = makeClock();

  test.each([
    ['setting a time', (writes: Writes, id: string) => writes.setInstant(VALUES, id, 'at', now())],
    ['adding to a number', (writes: Writes, id: string) => writes.add(VALUES, id, { n: 1 })],
    ['replacing the document', (writes: Writes, id: string) => writes.replace(VALUES, id, { n: 1, at: now() })],
  ])('%s is refused if the document is missing, and creates no document', async (_, change) => {
    const id = randomUUID();
    await expect(apply((writes) => change(writes, id))).rejects.toThrow('NOT_FOUND');
    expect(await store.find(VALUES, id)).toBeUndefined();
  });

  test('documents are created, replaced, changed and removed, and numbers in documents are increased', async () => {
    const [kept, gone] = [randomUUID(), randomUUID()];
    await apply((writes) => {
      for (const id of [kept, gone]) writes.create(VALUES, id, { n: 1, at: now() });
    });
    const at = now();
    await apply((writes) => {
      writes.replace(VALUES, kept, { n: 2, at: now() });
      writes.remove(VALUES, gone);
    });
    await apply((writes) => writes.add(VALUES, kept, { n: 40 }));
    await apply((writes) => writes.setInstant(VALUES, kept, 'at', at));
    expect(await store.findAll(VALUES, [kept, gone])).toEqual([{ n: 42, at }, undefined]);
  });

  test('a replacement keeps the fields that only the next release knows', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    const ofNext = { schema_version: SCHEMA_VERSION + 1, n: 1, at: storeInstant(now()), only_next: { has: ['this'] } };
    for (const one of [id, other]) await db.doc(`values/${one}`).create(ofNext);
    const at = now();
    await apply((writes) => writes.replace(VALUES, id, { n: 2, at }));
    const expected = { ...ofNext, schema_version: SCHEMA_VERSION, n: 2, at: storeInstant(at) };
    expect((await db.doc(`values/${id}`).get()).data()).toEqual(expected);
    const { updateTime } = (await store.findWithUpdateTime(VALUES, other)) ?? {};
    if (updateTime === undefined) throw new Error('it was not written');
    await apply((writes) => writes.replaceUnchanged(VALUES, other, { n: 2, at }, updateTime));
    expect((await db.doc(`values/${other}`).get()).data()).toEqual(expected);
  });

  test('put writes a whole document, whether or not it exists', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    await db.doc(`values/${id}`).create({ only_next: true });
    const doc = { n: 2, at: now() };
    await apply((writes) => {
      for (const one of [id, other]) writes.put(VALUES, one, doc);
    });
    const stored = { schema_version: SCHEMA_VERSION, n: 2, at: storeInstant(doc.at) };
    for (const one of [id, other]) expect((await db.doc(`values/${one}`).get()).data()).toEqual(stored);
  });

  test('a document is replaced or removed only if it has not changed since it was read', async () => {
    const id = randomUUID();
    await apply((writes) => writes.claim(VALUES, id, { n: 1, at: now() }));
    const before = await store.findWithUpdateTime(VALUES, id);
    if (before === undefined) throw new Error('it was not written');
    const at = now();
    await apply((writes) => writes.replaceUnchanged(VALUES, id, { n: 2, at }, before.updateTime));
    const late = (change: (writes: Writes) => void) => expect(apply(change)).rejects.toThrow('FAILED_PRECONDITION');
    await late((writes) => writes.replaceUnchanged(VALUES, id, { n: 3, at }, before.updateTime));
    await late((writes) => writes.removeUnchanged(VALUES, id, before.updateTime));
    await late((writes) => writes.add(VALUES, id, { n: 1 }, before.updateTime));
    expect(await store.find(VALUES, id)).toEqual({ n: 2, at });
  });
});

/** Replaces the function that records an audit event, because these tests do not check the audit log. */
const recordNothing = () => undefined;

const { services } = openInProcess(inject('stack'));
afterEach(() => vi.useRealTimers());

/** A store in which another process changes a tenant's counts right after they are read. */
class ContendedStore extends Store {
  readonly #interferes: () => boolean;

  /** `interferes` is called after each read, and returns whether the other process writes then. */
  constructor(interferes: () => boolean) {
    super(api);
    this.#interferes = interferes;
  }

  override async findWithUpdateTime<Doc>(from: Collection<Doc>, id: string) {
    const found = await super.findWithUpdateTime(from, id);
    if (this.#interferes()) await super.write((writes) => writes.add(OBJECT_COUNTS, id, { firewalls: 1 }));
    return found;
  }
}

async function makeTenant(): Promise<TenantId> {
  const { promise, resolve } = Promise.withResolvers<NewTenant>();
  await services.store.write((writes) => resolve(addTenant(services.clock, writes)));
  return (await promise).tenantId;
}

async function outcomeOf(creation: Promise<unknown>): Promise<string> {
  return creation.then(
    () => 'created',
    (error: unknown) => (error instanceof ApiError ? `${error.code}: ${error.message}` : String(error)),
  );
}

test('if other processes change a tenant’s counts while a container is created, the creation is retried and counted exactly once', async () => {
  const tenantId = await makeTenant();
  let times = 0;
  const store = new ContendedStore(() => times++ < 4);
  expect(await outcomeOf(createContainer({ ...services, store }, tenantId, 'orders', recordNothing))).toBe('created');
  expect(await services.store.find(OBJECT_COUNTS, tenantId)).toMatchObject({ containers: 2, firewalls: 4 });
});

test('if other processes change a tenant’s counts until the deadline of a creation, it fails with unavailable and stores no container', async () => {
  const tenantId = await makeTenant();
  vi.useFakeTimers({ toFake: ['performance'] });
  let times = 0;
  const store = new ContendedStore(() => {
    if (++times === 3) vi.advanceTimersByTime(DEADLINES_MS.firestore + 1);
    return true;
  });
  const refused = await outcomeOf(createContainer({ ...services, store }, tenantId, 'orders', recordNothing));
  expect(refused).toBe('unavailable: too many changes of the same thing at once');
  expect(await listContainers(services.store, tenantId)).toMatchObject([{ name: 'default' }]);
  expect(await outcomeOf(createContainer(services, tenantId, 'orders', recordNothing))).toBe('created');
});

test('creations beyond the queue limit of a tenant fail with unavailable, but a creation by another tenant succeeds', async () => {
  const [busy, other] = [await makeTenant(), await makeTenant()];
  await services.store.write((writes) => writes.add(OBJECT_COUNTS, busy, { containers: 99 }));
  const many = Array.from({ length: 300 }, (_, n) =>
    outcomeOf(createContainer(services, busy, `container ${n}`, recordNothing)),
  );
  const one = outcomeOf(createContainer(services, other, 'orders', recordNothing));
  const outcomes = (await Promise.all(many)).map((outcome) => outcome.split(':')[0]);
  const refusedAtOnce = outcomes.splice(1 + 256);
  expect(new Set(refusedAtOnce)).toEqual(new Set(['unavailable']));
  // On a busy machine, some queued creations wait too long, so they fail with `unavailable` instead of `limit_reached`.
  expect(outcomes).toContain('limit_reached');
  expect(await one).toBe('created');
});

describe('the deadline of a store operation', () => {
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
    Object.assign(DEADLINES_MS, defaults);
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
});
