import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../../sources.ts';

const direction = z.enum(['ASCENDING', 'DESCENDING']);
const composite = z.strictObject({
  collectionGroup: z.string(),
  queryScope: z.literal('COLLECTION'),
  fields: z.array(z.strictObject({ fieldPath: z.string(), order: direction })).min(2),
});
const exemption = z.strictObject({
  collectionGroup: z.string(),
  fieldPath: z.string(),
  /** Empty: the field has no single-field index. */
  indexes: z.tuple([]),
});

/** A declared composite index. */
export type Composite = z.output<typeof composite>;

/** The contents of firestore.indexes.json. */
export const declared = z
  .strictObject({ indexes: z.array(composite), fieldOverrides: z.array(exemption) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'firestore.indexes.json'), 'utf8')));

/** Returns the fields of a collection that have no single-field index. */
export function exemptFields(collectionGroup: string): string[] {
  return declared.fieldOverrides.flatMap((one) => (one.collectionGroup === collectionGroup ? one.fieldPath : []));
}
