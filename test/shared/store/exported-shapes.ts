import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Collection, SCHEMA_VERSION } from '../../../shared/store/collection.ts';
import { ROOT, sources } from '../../sources.ts';

const decode = z.custom<(data: unknown) => unknown>((value) => typeof value === 'function');
const encode = z.custom<Collection<unknown>['encode']>((value) => typeof value === 'function');
const collection = z.object({ name: z.string(), decode, encode });
const query = z.object({
  from: collection,
  equal: z.array(z.string()),
  filters: z.array(z.string()).optional(),
  anyOf: z.string().optional(),
  range: z.object({ field: z.string(), order: z.enum(['asc', 'desc']) }).optional(),
  distinct: z.array(z.string()).optional(),
});

/** The shape of a query (fields and order without values), as modules of the service export it. */
export type QueryShape = z.output<typeof query>;

const exported = new Map<string, unknown>();
for (const file of sources.keys()) {
  if (!file.startsWith('shared/')) continue;
  const members: Record<string, unknown> = await import(join(ROOT, file));
  for (const [name, value] of Object.entries(members)) exported.set(name, value);
}

/** Every query shape that a module of shared/ exports, by the name of its constant. */
export const queries = new Map(
  [...exported].flatMap(([name, value]) => {
    const parsed = query.safeParse(value);
    return parsed.success ? [[name, parsed.data] as const] : [];
  }),
);

/** Every collection that a module of shared/ exports, by name. */
export const collections = new Map(
  [...exported.values()].flatMap((value) => {
    const parsed = collection.safeParse(value);
    return parsed.success ? [[parsed.data.name, parsed.data] as const] : [];
  }),
);

/** The fields of a collection’s documents, found by decoding an empty document. */
export function fieldsOf(name: string): string[] {
  const declaration = collections.get(name);
  try {
    declaration?.decode({ schema_version: SCHEMA_VERSION });
  } catch (error) {
    if (error instanceof z.ZodError) return error.issues.map(({ path }) => path.join('.'));
    throw error;
  }
  throw new Error(`nothing tells the fields of ${name}`);
}

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
