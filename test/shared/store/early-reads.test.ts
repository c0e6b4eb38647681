import { expect, test } from 'vitest';
import { z } from 'zod';
import { collection } from '../../../shared/store/collection.ts';
import { connect } from '../../../shared/store/connect.ts';
import { EarlyReads } from '../../../shared/store/early-reads.ts';
import { Store } from '../../../shared/store/store.ts';

const DOCS = collection('docs', z.object({ of: z.string() }));
const OTHERS = collection('others', z.object({ of: z.string() }));

/** A store that notes which documents are read. A document contains its path and the number of the read. */
class NotingStore extends Store {
  readonly reads: string[] = [];

  constructor() {
    super(connect({ project: 'demo-encryption', firestoreEmulatorHost: undefined }));
  }

  override async read(path: string) {
    this.reads.push(path);
    return { data: { of: `${path} ${this.reads.length}`, schema_version: 1 } };
  }
}

test('a request reads each document once, when it first asks for it', async () => {
  const store = new NotingStore();
  const reads = new EarlyReads(store).begin('request');
  expect(store.reads).toEqual([]);
  const found = await Promise.all([reads.find(DOCS, 'a'), reads.find(DOCS, 'a'), reads.find(OTHERS, 'a')]);
  expect(found.map((doc) => doc?.of)).toEqual(['docs/a 1', 'docs/a 1', 'others/a 2']);
});

test('a request reads at once what the last request with its name needed, and nothing of what that one read in vain', async () => {
  const store = new NotingStore();
  const early = new EarlyReads(store);
  const first = early.begin('request');
  await Promise.all([first.find(DOCS, 'a'), first.find(DOCS, 'b')]);
  first.remember();
  const second = early.begin('request');
  expect(store.reads.splice(0)).toEqual(['docs/a', 'docs/b', 'docs/a', 'docs/b']);
  expect(await second.find(DOCS, 'b')).toEqual({ of: 'docs/b 4' });
  second.remember();
  early.begin('request');
  early.begin('another');
  expect(store.reads).toEqual(['docs/b']);
});

test('the document that the last request needed is read anew, and is absent for the first request', async () => {
  const store = new NotingStore();
  const early = new EarlyReads(store);
  const first = early.begin('request');
  expect(await first.findExpected(DOCS)).toBeUndefined();
  await Promise.all([first.find(OTHERS, 'x'), first.find(DOCS, 'a')]);
  first.remember();
  expect(await early.begin('request').findExpected(DOCS)).toEqual({ of: 'docs/a 4' });
});
