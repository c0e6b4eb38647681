import { FieldPath, type Query as FirestoreQuery } from '@google-cloud/firestore';
import type { Instant } from '../base/clock.ts';
import { type Collection, storeInstant } from './collection.ts';

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

export function buildQuery<Doc>(all: FirestoreQuery, shape: Query<Doc>, values: Values): FirestoreQuery {
  let query = all;
  for (const [index, field] of shape.equal.entries()) query = query.where(field, '==', values.equal[index] ?? null);
  if (shape.anyOf !== undefined) query = query.where(shape.anyOf, 'in', values.anyOf ?? []);
  if (shape.filters !== undefined) query = withFilters(query, shape, values);
  else if (shape.range !== undefined) {
    const { field, order } = shape.range;
    if (values.since !== undefined) query = query.where(field, '>=', storeInstant(values.since));
    if (values.until !== undefined) query = query.where(field, '<', storeInstant(values.until));
    query = query.orderBy(field, order);
  }
  for (const field of shape.distinct ?? []) query = query.orderBy(field);
  if (values.between !== undefined) query = query.startAfter(values.between[0]).endBefore(values.between[1]);
  return values.limit === undefined ? query : query.limit(values.limit);
}

function withFilters<Doc>(all: FirestoreQuery, { filters = [], range }: Query<Doc>, values: Values): FirestoreQuery {
  if (range?.order !== 'desc') throw new TypeError('a query with filters must have a range in descending order');
  let query = all;
  for (const field of filters) {
    const value = values.filters?.[field];
    if (value !== undefined) query = query.where(field, '==', value);
  }
  query = query.orderBy(range.field, 'desc').orderBy(FieldPath.documentId(), 'desc');
  const { since, until, after } = values;
  if (after !== undefined) query = query.startAfter(storeInstant(after.at), after.id);
  else if (until !== undefined) query = query.startAfter(storeInstant(until));
  return since === undefined ? query : query.endAt(storeInstant(since));
}
