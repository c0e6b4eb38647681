import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { AUDIT } from '../../../shared/audit/event.ts';
import { USAGE } from '../../../shared/metering/counter.ts';
import { SCHEMA_VERSION } from '../../../shared/store/collection.ts';
import type { Writes } from '../../../shared/store/writes.ts';
import { readDocuments } from '../../fixtures/release.ts';
import { sources } from '../../sources.ts';
import {
  type Composite,
  collections,
  declared,
  exemptFields,
  fieldsOf,
  type QueryShape,
  queries,
} from './exported-shapes.ts';

const stored = readDocuments('1.0.0');
const documents = Object.entries(stored).flatMap(([name, byId]) =>
  Object.entries(byId).map(([id, data]) => ({ name, id, data })),
);
const read = (name: string, data: unknown) => collections.get(name)?.decode(data);

test('the fixtures contain documents of every collection', () => {
  expect(Object.keys(stored).sort()).toEqual([...collections.keys()].sort());
});

describe.each(documents)('$name/$id', ({ name, data }) => {
  test('the stored document can be read, and is stored again with the same values', () => {
    const doc = read(name, data);
    const again = collections.get(name)?.encode(doc);
    // Today’s code may add fields that the release did not have.
    expect(again).toMatchObject({ ...data, schema_version: SCHEMA_VERSION });
  });

  test('a document that the next release has stored can be read, and new fields are ignored', () => {
    const next = { ...data, schema_version: SCHEMA_VERSION + 1, field_of_the_next_release: 'any' };
    expect(read(name, next)).toEqual(read(name, data));
  });

  test('a document without a schema version is refused', () => {
    const { schema_version, ...rest } = data;
    expect(() => read(name, rest)).toThrow(z.ZodError);
  });

  test('a document is refused if its schema version is two higher than the current version', () => {
    expect(() => read(name, { ...data, schema_version: SCHEMA_VERSION + 2 })).toThrow(z.ZodError);
  });
});

test.each(documents.filter(({ name }) => name === 'audit'))(
  'the audit row $id can be read even with an operation and an error code that only the next release has',
  ({ name, data }) => {
    const ofNext = { operation: 'operation_of_the_next_release', error_code: 'error_of_the_next_release' };
    expect(read(name, { ...data, ...ofNext })).toMatchObject(ofNext);
  },
);

/** The writes that can change or remove a stored document. */
type Change = Exclude<keyof Writes, 'create' | 'commitMarker' | 'onApplied' | 'noteApplied'>;
/** The collections that these writes accept. */
type Changed = Parameters<Writes[Change]>[0];

interface Changeable {
  readonly mayChange: true;
}

/* These tests compare types. The type checker enforces them, in `npm run check`. */
test('the audit log accepts no write except the creation of a row', () => {
  expectTypeOf<Changed>().toExtend<Changeable>();
  expectTypeOf(USAGE).toExtend<Changeable>();
  expectTypeOf(AUDIT).not.toExtend<Changeable>();
  expectTypeOf(AUDIT).toExtend<Parameters<Writes['create']>[0]>();
  expect(AUDIT).not.toHaveProperty('mayChange');
});

test('only the audit log’s own module creates rows', () => {
  const creates = /\.create\(\s*AUDIT\b/;
  const creators = [...sources].filter(
    ([file, source]) => /^(?:shared|functions|operator)\//.test(file) && creates.test(source),
  );
  expect(creators.map(([file]) => file)).toEqual(['shared/audit/event.ts']);
});

/** The fields that a query compares for equality with one or several values. */
function equalityFields({ equal, anyOf }: QueryShape): string[] {
  return anyOf === undefined ? equal : [...equal, anyOf];
}

/**
 * Whether Firestore refuses the query without a composite index. Firestore can merge single-field indexes for equality
 * filters, but not if the query orders its results or if a field has no single-field index.
 */
function needsComposite(query: QueryShape): boolean {
  const equality = equalityFields(query);
  const exempt = exemptFields(query.from.name);
  const used = query.range === undefined ? equality : [...equality, query.range.field];
  return (
    query.distinct !== undefined ||
    (query.range !== undefined && equality.length > 0) ||
    used.some((field) => exempt.includes(field))
  );
}

/** Whether an index serves the query: it has the equality fields in any order, then the field of the sort order. */
function serves({ collectionGroup, fields }: Composite, query: QueryShape): boolean {
  const equality = equalityFields(query);
  const firstFields = fields.slice(0, equality.length).map(({ fieldPath }) => fieldPath);
  const order = query.range?.order === 'desc' ? 'DESCENDING' : 'ASCENDING';
  const range = query.range === undefined ? [] : [query.range.field];
  const rest = (query.distinct ?? range).map((fieldPath) => ({ fieldPath, order }));
  return (
    collectionGroup === query.from.name &&
    firstFields.toSorted().join() === equality.toSorted().join() &&
    JSON.stringify(fields.slice(equality.length)) === JSON.stringify(rest)
  );
}

/**
 * Replaces a query that has optional filters by several queries: one without filters, and one with each single filter.
 * A combination of filters needs no index: Firestore merges the indexes of single filters if they have the same order.
 */
function withoutFilters({ filters = [], ...plain }: QueryShape): QueryShape[] {
  return [plain, ...filters.map((filter) => ({ ...plain, equal: [...plain.equal, filter] }))];
}

const plainQueries = [...queries].flatMap(([name, query]) =>
  withoutFilters(query).map((plain) => [[name, ...plain.equal].join(' '), plain] as const),
);

test('the test finds the query shapes that the service exports', () => {
  expect([...queries.keys()]).toEqual(expect.arrayContaining(['KEYS_BY_DUE', 'EVENTS', 'COUNTS_OF_TENANT']));
});

test.each(plainQueries)('the query %s has a composite index exactly if it needs one', (_name, query) => {
  const served = declared.indexes.some((index) => serves(index, query));
  expect(served).toBe(needsComposite(query));
});

test('every declared composite index serves a query', () => {
  const idle = declared.indexes.filter((index) => !plainQueries.some(([, query]) => serves(index, query)));
  expect(idle).toEqual([]);
});

const beyondTheStore = [...sources].filter(([file]) => /^(?:shared|functions|operator)\/(?!store\/)/.test(file));

test('every query outside the store uses an exported query shape', () => {
  const selections = beyondTheStore.flatMap(([file, source]) =>
    [...source.matchAll(/\.(?:select|selectWithIds|selectAll|pages|pagesWithIds|distinct)\(\s*([^,)]*)/g)].map(
      ([, shape = '']) => ({
        file,
        shape,
      }),
    ),
  );
  expect(selections.length).toBeGreaterThan(10);
  expect(selections.filter(({ shape }) => !queries.has(shape))).toEqual([]);
});

test('no code outside the store folders builds a Firestore query', () => {
  const pattern = /\.(?:where|orderBy|collectionGroup|collection|listDocuments)\(/;
  expect(beyondTheStore.filter(([, source]) => pattern.test(source)).map(([file]) => file)).toEqual([]);
});

/** Fields that only some documents have. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = { audit: ['workload', 'changes'], usage: ['older_days'] };

test.each(['audit', 'usage', 'unsealed'])(
  'no field of the collection %s has a single-field index, because an index on sequential values slows down all writes',
  (name) => {
    expect(exemptFields(name).sort()).toEqual([...fieldsOf(name), ...(OPTIONAL[name] ?? []), 'schema_version'].sort());
  },
);

test('last_used_at and federations of API keys have no index: no query uses them, and they change often or are long', () => {
  expect(exemptFields('apiKeys')).toEqual(['last_used_at', 'federations']);
  expect(fieldsOf('apiKeys')).toContain('last_used_at');
});

test('every declared index belongs to a collection of the service', () => {
  const named = [...declared.indexes, ...declared.fieldOverrides].map(({ collectionGroup }) => collectionGroup);
  for (const name of new Set(named)) expect(fieldsOf(name).length).toBeGreaterThan(0);
});
