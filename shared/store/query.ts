import type { Instant } from '../base/clock.ts';
import { type Collection, storeInstant } from './collection.ts';
import type { StoredDocument, StructuredQuery } from './firestore-api.ts';
import { encodeValue, type StoredValue } from './values.ts';

type Value = string | number | null;

/** The shape of a query: everything that determines its index. A test compares the shapes with the declared indexes. */
export interface Query<Doc> {
  readonly from: Collection<Doc>;
  readonly equal: readonly (keyof Doc & string)[];
  /**
   * Optional equality filters, only for a query with a descending range. Firestore merges the indexes of the filters,
   * so not every combination needs an index. A merged query allows no range, so the range is expressed with cursors.
   */
  readonly filters?: readonly (keyof Doc & string)[];
  readonly anyOf?: keyof Doc & string;
  /** A time field with limits, which also orders the results. */
  readonly range?: { readonly field: keyof Doc & string; readonly order: 'asc' | 'desc' };
  readonly distinct?: Fields<Doc>;
}

type Fields<Doc> = readonly [first: keyof Doc & string, ...rest: (keyof Doc & string)[]];

export interface DistinctQuery<Doc> extends Query<Doc> {
  readonly distinct: Fields<Doc>;
}

/** A cursor into a query with filters: the range's field, then the document id. */
export interface Position {
  readonly at: Instant;
  readonly id: string;
}

export interface Values {
  /** The values of the fields in the query's `equal`, in the same order. */
  readonly equal: readonly Value[];
  readonly filters?: Readonly<Record<string, Value | undefined>>;
  readonly anyOf?: readonly Value[];
  /** The start of the range, inclusive. */
  readonly since?: Instant | undefined;
  /** The end of the range, exclusive. */
  readonly until?: Instant | undefined;
  /** The position to continue after, in a query with filters. */
  readonly after?: Position | undefined;
  /** Limits of a distinct query, both exclusive. */
  readonly between?: readonly [past: string, before: string];
  readonly limit?: number;
}

/** Returns the query in Firestore's format. `after` is the document to continue after; `nameOf` names a document. */
export function structuredQuery<Doc>(
  shape: Query<Doc>,
  values: Values,
  nameOf: (path: string) => string,
  after?: StoredDocument,
): StructuredQuery {
  const { from, equal, anyOf, filters = [], range } = shape;
  const where = equal.map((field, index) => isEqual(field, values.equal[index] ?? null));
  if (anyOf !== undefined) where.push(fieldFilter(anyOf, 'IN', encodeValue(values.anyOf ?? [])));
  for (const field of filters) {
    const value = values.filters?.[field];
    if (value !== undefined) where.push(isEqual(field, value));
  }
  const isMerged = shape.filters !== undefined;
  if (range !== undefined && !isMerged) {
    const { since, until } = values;
    if (since !== undefined) where.push(fieldFilter(range.field, 'GREATER_THAN_OR_EQUAL', encodeInstant(since)));
    if (until !== undefined) where.push(fieldFilter(range.field, 'LESS_THAN', encodeInstant(until)));
  }
  const fields = [...(range === undefined ? [] : [range.field]), ...(shape.distinct ?? [])];
  const direction = range?.order === 'desc' ? ('DESCENDING' as const) : ('ASCENDING' as const);
  const start = after === undefined ? startOf(shape, values, nameOf) : cursorAt(fields, after);
  const end = endOf(shape, values);
  return {
    from: [{ collectionId: from.name }],
    ...(where.length > 0 && { where: { compositeFilter: { op: 'AND', filters: where } } }),
    // Firestore adds the document's name in the direction of the last field to each index, so this needs no other index.
    orderBy: [...fields, NAME].map((fieldPath) => ({ field: { fieldPath }, direction })),
    ...(start && { startAt: { values: start, before: false } }),
    ...(end && { endAt: end }),
    ...(values.limit !== undefined && { limit: { value: values.limit } }),
  };
}

const NAME = '__name__';

type Filter = NonNullable<NonNullable<NonNullable<StructuredQuery['where']>['compositeFilter']>['filters']>[number];

function fieldFilter(
  fieldPath: string,
  op: 'EQUAL' | 'IN' | 'LESS_THAN' | 'GREATER_THAN_OR_EQUAL',
  value: StoredValue,
): Filter {
  return { fieldFilter: { field: { fieldPath }, op, value } };
}

function isEqual(fieldPath: string, value: Value): Filter {
  if (value === null) return { unaryFilter: { field: { fieldPath }, op: 'IS_NULL' } };
  return fieldFilter(fieldPath, 'EQUAL', encodeValue(value));
}

function encodeInstant(at: Instant): StoredValue {
  return encodeValue(storeInstant(at));
}

/** Returns the values after which the results start. */
function startOf<Doc>(
  { from, filters }: Query<Doc>,
  values: Values,
  nameOf: (path: string) => string,
): StoredValue[] | undefined {
  if (values.between !== undefined) return [encodeValue(values.between[0])];
  if (filters === undefined) return undefined;
  const { after, until } = values;
  if (after !== undefined) return [encodeInstant(after.at), { referenceValue: nameOf(`${from.name}/${after.id}`) }];
  return until === undefined ? undefined : [encodeInstant(until)];
}

/** Returns the values at which the results end. `before`: not including them. */
function endOf<Doc>({ filters }: Query<Doc>, { between, since }: Values) {
  if (between !== undefined) return { values: [encodeValue(between[1])], before: true };
  return filters !== undefined && since !== undefined ? { values: [encodeInstant(since)], before: false } : undefined;
}

/** Returns a document's values of the fields that a query is ordered by. */
function cursorAt(fields: readonly string[], { name, fields: stored }: StoredDocument): StoredValue[] {
  return [
    ...fields.map((field) => stored?.[field] ?? { nullValue: 'NULL_VALUE' as const }),
    { referenceValue: name ?? '' },
  ];
}
