import { isDeepStrictEqual } from 'node:util';
import type { Changed } from './changed.ts';

/** A field that an event changed. Name and values are as the API shows them. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of a new object that were given, in the order of `given`. A field that is `null` was not given. */
export function givenFields(given: Fields): FieldChange[] {
  const fields = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  return fields.map(([field, after]) => ({ field, before: null, after }));
}

/** Returns those of the named fields that differ, in the order of `fields`. */
export function changedFields<Thing extends object>(
  { before, after }: Changed<Thing>,
  fields: readonly (keyof Thing & string)[],
): FieldChange[] {
  const differing = fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  return differing.map((field) => ({ field, before: before[field], after: after[field] }));
}
