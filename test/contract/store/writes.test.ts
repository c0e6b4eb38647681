import { randomUUID } from 'node:crypto';
import { Timestamp } from '@google-cloud/firestore';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { makeClock } from '../../../shared/base/clock.ts';
import { collection, instantField, SCHEMA_VERSION, storeInstant } from '../../../shared/store/collection.ts';
import { Commit } from '../../../shared/store/commit.ts';
import { Store } from '../../../shared/store/store.ts';
import type { Writes } from '../../../shared/store/writes.ts';
import { apiOf, firestoreOf } from '../../support/firestore.ts';

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
