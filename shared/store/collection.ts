import { type DocumentData, Timestamp } from '@google-cloud/firestore';
import { z } from 'zod';
import { type Instant, isInstant, makeInstant } from '../base/clock.ts';

/**
 * A new schema version may only add fields with defaults. A release reads all older versions and the next one, so that
 * an operator can roll back a deployment.
 */
export const SCHEMA_VERSION = 1;
const READABLE = z.object({ schema_version: z.int().max(SCHEMA_VERSION + 1) });

export interface Collection<Doc> {
  readonly name: string;
  /** Returns the document, or `undefined`. Throws a `ZodError` if it is malformed or its schema is too new. */
  decode(data: DocumentData | undefined): Doc | undefined;
  encode(doc: Doc): DocumentData;
}

export interface ChangeableCollection<Doc> extends Collection<Doc> {
  readonly mayChange: true;
}

/** Declares a collection whose documents can be changed and removed. */
export function collection<Schema extends z.ZodType<object, DocumentData>>(
  name: string,
  schema: Schema,
): ChangeableCollection<z.output<Schema>> {
  return { ...appendOnlyCollection(name, schema), mayChange: true };
}

/** Declares a collection whose documents are created under unique ids and never changed or removed. */
export function appendOnlyCollection<Schema extends z.ZodType<object, DocumentData>>(
  name: string,
  schema: Schema,
): Collection<z.output<Schema>> {
  // If several requests share a read, they also share the parsed document.
  const parsed = new WeakMap<DocumentData, z.output<Schema>>();
  const parse = (data: DocumentData) => {
    const known = parsed.get(data);
    if (known !== undefined) return known;
    READABLE.parse(data);
    const doc = schema.parse(data);
    parsed.set(data, doc);
    return doc;
  };
  return {
    name,
    decode: (data) => data && parse(data),
    encode: (doc) => ({ ...schema.encode(doc), schema_version: SCHEMA_VERSION }),
  };
}

/** A Firestore timestamp, exact to the microsecond. */
export const instantField = z.codec(z.instanceof(Timestamp), z.custom<Instant>(isInstant), {
  decode: readInstant,
  encode: storeInstant,
});

export function readInstant({ seconds, nanoseconds }: Timestamp): Instant {
  return makeInstant(seconds * 1_000_000 + Math.floor(nanoseconds / 1000));
}

export function storeInstant(at: Instant): Timestamp {
  const seconds = Math.floor(at / 1_000_000);
  return new Timestamp(seconds, (at - seconds * 1_000_000) * 1000);
}

export const bytesField = z.instanceof(Buffer);
