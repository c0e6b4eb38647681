import { type DocumentData, type DocumentSnapshot, Timestamp } from '@google-cloud/firestore';
import { z } from 'zod';
import { type Instant, isInstant, makeInstant } from '../base/clock.ts';

/**
 * The version of the documents that this release writes, in their field `schema_version`; those without one are of
 * version 0. A version only adds fields, with a default for documents that lack them, so any release reads what older ones
 * wrote. And it reads what the next one writes, without the fields that it does not know: a release can be rolled back.
 */
export const SCHEMA_VERSION = 1;
const READABLE = z.object({
  schema_version: z
    .int()
    .max(SCHEMA_VERSION + 1)
    .default(0),
});

/** A collection: its name, and the schema that reads and writes its documents. These may be read and created, no more. */
export interface Collection<Doc> {
  readonly name: string;
  /** The document read, or `undefined` where there is none. Throws a `ZodError` for a document that does not fit or is of a later version than the next. */
  decode(snapshot: DocumentSnapshot): Doc | undefined;
  encode(doc: Doc): DocumentData;
}

/** A collection whose documents may be changed and removed, too. */
export interface ChangeableCollection<Doc> extends Collection<Doc> {
  readonly mayChange: true;
}

/** Declares a collection. Every document is parsed when it is read, so that nothing malformed goes further. */
export function collection<Schema extends z.ZodType<object, DocumentData>>(
  name: string,
  schema: Schema,
): ChangeableCollection<z.output<Schema>> {
  return { ...appendOnlyCollection(name, schema), mayChange: true };
}

/** Declares a collection whose documents are created, under ids of their own, and never changed or removed: no write but `create` takes it. */
export function appendOnlyCollection<Schema extends z.ZodType<object, DocumentData>>(
  name: string,
  schema: Schema,
): Collection<z.output<Schema>> {
  // A document that several requests read together is parsed once.
  const parsed = new WeakMap<DocumentSnapshot, z.output<Schema>>();
  const parse = (snapshot: DocumentSnapshot) => {
    const known = parsed.get(snapshot);
    if (known !== undefined) return known;
    const data = snapshot.data();
    READABLE.parse(data);
    const doc = schema.parse(data);
    parsed.set(snapshot, doc);
    return doc;
  };
  return {
    name,
    decode: (snapshot) => (snapshot.exists ? parse(snapshot) : undefined),
    encode: (doc) => ({ ...schema.encode(doc), schema_version: SCHEMA_VERSION }),
  };
}

/** A Firestore timestamp, exact to the microsecond on both sides. */
export const instantField = z.codec(z.instanceof(Timestamp), z.custom<Instant>(isInstant), {
  decode: (stamp) => makeInstant(stamp.seconds * 1_000_000 + Math.floor(stamp.nanoseconds / 1000)),
  encode: storeInstant,
});

/** An instant as Firestore keeps it, for a query's bounds. */
export function storeInstant(at: Instant): Timestamp {
  const seconds = Math.floor(at / 1_000_000);
  return new Timestamp(seconds, (at - seconds * 1_000_000) * 1000);
}

/** A Firestore bytes value. */
export const bytesField = z.instanceof(Buffer);
