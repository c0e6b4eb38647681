import type { Query as FirestoreQuery } from '@google-cloud/firestore';
import type { Instant } from '../base/clock.ts';
import { type Collection, storeInstant } from './collection.ts';

/** What a query compares a field with. */
type Value = string | null;

/**
 * The shape of a query: all that decides which index it needs. Every query of the service is one of these constants, so
 * that the shapes can be held against the indexes that are declared.
 */
export interface Query<Doc> {
  readonly from: Collection<Doc>;
  /** Fields held to one value each. */
  readonly equal: readonly (keyof Doc & string)[];
  /** A field held to any of some values. */
  readonly anyOf?: keyof Doc & string;
  /** A time that is bounded, and by which the answer is ordered. */
  readonly range?: { readonly field: keyof Doc & string; readonly order: 'asc' | 'desc' };
}

/** The values of a query's shape. */
export interface Values {
  /** In the order of the shape's fields. */
  readonly equal: readonly Value[];
  readonly anyOf?: readonly Value[];
  /** Inclusive. */
  readonly since?: Instant | undefined;
  /** Exclusive. */
  readonly until?: Instant | undefined;
  readonly limit?: number;
}

/** The query of that shape with these values, on the collection given. */
export function buildQuery<Doc>(all: FirestoreQuery, shape: Query<Doc>, values: Values): FirestoreQuery {
  let query = all;
  for (const [index, field] of shape.equal.entries()) query = query.where(field, '==', values.equal[index] ?? null);
  if (shape.anyOf !== undefined) query = query.where(shape.anyOf, 'in', values.anyOf ?? []);
  if (shape.range !== undefined) {
    const { field, order } = shape.range;
    if (values.since !== undefined) query = query.where(field, '>=', storeInstant(values.since));
    if (values.until !== undefined) query = query.where(field, '<', storeInstant(values.until));
    query = query.orderBy(field, order);
  }
  return values.limit === undefined ? query : query.limit(values.limit);
}
