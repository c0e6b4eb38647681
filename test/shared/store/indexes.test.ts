import { describe, expect, test } from 'vitest';
import { sources } from '../../sources.ts';
import { type Composite, declared, exemptFields } from './declared-indexes.ts';
import { fieldsOf, type QueryShape, queries } from './exported-shapes.ts';

/** The fields that a query holds to a value or to some. */
function heldFields({ equal, anyOf }: QueryShape): string[] {
  return anyOf === undefined ? equal : [...equal, anyOf];
}

/**
 * Whether Firestore refuses the query without a composite index. It merges single-field indexes for fields held to
 * values, but not with an order, and not where a field has none.
 */
function needsComposite(query: QueryShape): boolean {
  const held = heldFields(query);
  const exempt = exemptFields(query.from.name);
  const used = query.range === undefined ? held : [...held, query.range.field];
  return (
    query.distinct !== undefined ||
    (query.range !== undefined && held.length > 0) ||
    used.some((field) => exempt.includes(field))
  );
}

/** Whether an index serves the query: the fields held first, in any order, then the one that it is ordered by. */
function serves({ collectionGroup, fields }: Composite, query: QueryShape): boolean {
  const held = heldFields(query);
  const heldFirst = fields.slice(0, held.length).map(({ fieldPath }) => fieldPath);
  const order = query.range?.order === 'desc' ? 'DESCENDING' : 'ASCENDING';
  const range = query.range === undefined ? [] : [query.range.field];
  const rest = (query.distinct ?? range).map((fieldPath) => ({ fieldPath, order }));
  return (
    collectionGroup === query.from.name &&
    heldFirst.toSorted().join() === held.toSorted().join() &&
    JSON.stringify(fields.slice(held.length)) === JSON.stringify(rest)
  );
}

/**
 * A query with filters as the plain ones whose indexes serve it: without any, and with each by itself. Firestore merges those
 * indexes where several filters are used, as all have the same order after what is held to values.
 */
function withoutFilters({ filters = [], ...plain }: QueryShape): QueryShape[] {
  return [plain, ...filters.map((filter) => ({ ...plain, equal: [...plain.equal, filter] }))];
}

const plainQueries = [...queries].flatMap(([name, query]) =>
  withoutFilters(query).map((plain) => [[name, ...plain.equal].join(' '), plain] as const),
);

test('the query shapes of the service are found', () => {
  expect([...queries.keys()]).toEqual(expect.arrayContaining(['KEYS_BY_DUE', 'EVENTS', 'COUNTS_OF_TENANT']));
});

test.each(plainQueries)('%s has the index that it needs', (_name, query) => {
  const served = declared.indexes.some((index) => serves(index, query));
  expect(served).toBe(needsComposite(query));
});

test('every composite index that is declared serves a query', () => {
  const idle = declared.indexes.filter((index) => !plainQueries.some(([, query]) => serves(index, query)));
  expect(idle).toEqual([]);
});

describe('every query that runs is one of the shapes', () => {
  const beyondTheStore = [...sources].filter(([file]) => /^(?:shared|functions|operator)\/(?!store\/)/.test(file));

  test('what is selected is named by its constant', () => {
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

  test('no query is built outside the store', () => {
    const pattern = /\.(?:where|orderBy|collectionGroup|collection|listDocuments)\(/;
    expect(beyondTheStore.filter(([, source]) => pattern.test(source)).map(([file]) => file)).toEqual([]);
  });
});

/** Fields that not every document has. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = { usage: ['older_days'] };

test.each(['audit', 'usage', 'unsealed'])(
  'no field of %s has a single-field index: a sequential one holds back all writes',
  (name) => {
    expect(exemptFields(name).sort()).toEqual([...fieldsOf(name), ...(OPTIONAL[name] ?? []), 'schema_version'].sort());
  },
);

test('last_used_at of API keys has no index: nothing asks for it, every use of an API key moves it, in the order of time', () => {
  expect(exemptFields('apiKeys')).toEqual(['last_used_at']);
  expect(fieldsOf('apiKeys')).toContain('last_used_at');
});

test('no index is declared for a collection that the service does not have', () => {
  const named = [...declared.indexes, ...declared.fieldOverrides].map(({ collectionGroup }) => collectionGroup);
  for (const name of new Set(named)) expect(fieldsOf(name).length).toBeGreaterThan(0);
});
